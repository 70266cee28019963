"""The options that most operators of NCO share, and the files of a line."""

from __future__ import annotations

import getopt
import os
import re
from collections.abc import Mapping, Sequence

from ncz.record import record
from ncz.zmap.whole_numbers import MOST_DIGITS, whole_number

_SHORT = "34567AaCcFHhMmOPQqRrUuVxb:d:D:G:g:L:l:n:o:p:s:t:v:w:X:"
"""The options of one letter. Some operators give a letter another meaning: see `_OF_OPERATOR`."""

_OF_OPERATOR: Mapping[str, str] = {
    "ncpdq": "a:M:P:", "ncrename": "a:", "ncatted": "a:", "ncecat": "u:",
}  # fmt: skip
"""Letters that have a value for these operators only."""

_LONG: Mapping[str, tuple[str, ...]] = {
    "-3": ("3",), "-4": ("4",), "-5": ("5",), "-6": ("6", "64"), "-7": ("7",),
    "-A": ("apn", "append"), "-C": ("no_crd", "xcl_ass_var", "no_coords"),
    "-O": ("ovr", "overwrite"), "-x": ("xcl", "exclude"), "-v": ("variable=",),
    "-d": ("dmn=", "dimension="), "-g": ("grp=", "group="), "-G": ("gpe=",),
    "-L": ("dfl_lvl=", "deflate="), "-o": ("output=", "fl_out="), "-p": ("pth=", "path="),
    "-n": ("nintap=",), "-X": ("auxiliary=",), "-F": ("ftn", "fortran"),
    "-H": ("data", "hieronymus"), "-m": ("mtd", "metadata", "cdl", "trd"),
    "-M": ("Mtd", "Metadata"), "-P": ("prn", "print"), "-U": ("upk", "unpack"), "-V": ("var_val",),
    "--json": ("jsn", "json"), "--xml": ("xml", "ncml"), "--dates": ("cal", "cln", "calendar"),
    "--dt_fmt": ("dt_fmt=", "date_format="), "--fl_fmt": ("fl_fmt=", "file_format="),
    "--cmp": ("cmp=", "cmp_sng="), "--cnk_dmn": ("cnk_dmn=", "chunk_dimension="),
    "--cnk_plc": ("cnk_plc=", "chunk_policy="), "--cnk_map": ("cnk_map=", "chunk_map="),
    "--cnk_byt": ("cnk_byt=", "chunk_byte="), "-a": ("attribute=", "arrange=", "permute="),
    "--fix_rec_dmn": ("fix_rec_dmn=", "no_rec_dmn="), "--rec_apn": ("rec_apn",),
    "--mk_rec_dmn": ("mk_rec_dmn=", "mk_rec_dim="),
    "--ppc": ("ppc=", "qnt=", "precision_preserving_compression=", "quantize="),
    "--baa": ("baa=", "bit_alg=", "qnt_alg="),
    "--glb_att_add": ("glb_att_add=", "gaa="),
    "-h": (
        "hst", "history", "abc", "alphabetize", "no_abc", "no_alphabetize", "no_tmp_fl", "no_tmp",
        "wrt_tmp_fl", "ram_all", "diskless_all", "create_ram", "open_ram", "uio", "share_all",
        "no_cln_lgc", "rtn", "retain", "quench", "quiet", "units", "no_blank", "crd", "xtr_ass_var",
        "hdn", "hidden", "union", "unn", "msa", "xml_no_location", "fl_lst_in", "mrd",
        "multiple_record_dimension",
    ),
    "-D": (
        "dbg_lvl=", "debug-level=", "thr_nbr=", "threads=", "omp_num_threads=", "bfr_sz_hnt=",
        "bfr_sz=", "buffer_size=", "hdr_pad=", "header_pad=", "cnk_csh=", "chunk_cache=", "lcl=",
        "local=", "jsn_fmt=",
    ),
}  # fmt: skip
"""An option -> its long names. "-h" and "-D" change nothing here."""

_IGNORED = ("-h", "-D", "-R", "-q", "-Q", "-c", "-l", "-t", "-u")
"""Options that do not change the output."""

_KINDS = ("-3", "-4", "-5", "-6", "-7")

_FORMATS: Mapping[str, str] = {
    "classic": "-3", "netcdf3": "-3", "64bit": "-6", "64bit_offset": "-6", "64bit_data": "-5",
    "netcdf4": "-4", "netcdf4_classic": "-7", "cdf5": "-5", "hdf5": "-4",
}  # fmt: skip

_CODECS: Mapping[str, str] = {
    name: codec
    for codec, *names in (
        ("shuffle", "shf", "shuffle"),
        ("zlib", "dfl", "deflate", "gzp"),
        ("zstd", "zst", "zstd"),
        ("bz2", "bz2", "bzp"),
        ("lz4", "lz4"),
        ("fletcher32", "f32"),
    )
    for name in names
}
"""The codecs of ``--cmp`` -> the codecs of `ncz copy`."""


@record
class OperatorArguments:
    """The words after an operator: its options in order, its sources, and its target."""

    options: tuple[tuple[str, str], ...]
    paths: tuple[str, ...]

    def all(self, *names: str) -> list[str]:
        """Return the values of options of these names."""
        return [value for name, value in self.options if name in names]

    def has(self, name: str) -> bool:
        """Return whether an option was given."""
        return any(name == given for given, _ in self.options)

    def has_only(self, *names: str) -> bool:
        """Return whether no other option was given than these."""
        return all(name in names for name, _ in self.options)

    @property
    def kind(self) -> list[str] | None:
        """The options of `ncz copy` for the new file; None if ncz lacks one."""
        kinds = [name for name, _ in self.options if name in _KINDS]
        formats = [_FORMATS.get(each.lower()) for each in self.all("--fl_fmt")]
        codecs = [_codecs(each) for each in self.all("--cmp")]
        policies = {*self.all("--cnk_plc", "--cnk_map")}
        digits = _digits(self.all("--ppc"), self.all("--baa"))
        if None in formats or None in codecs or None in digits or not policies <= {"all", "dmn"}:
            return None
        level = [word for value in self.all("-L") for word in ("-d", value)]
        lengths = ",".join(each.replace(",", "/", 1) for each in self.all("--cnk_dmn"))
        return [
            *kinds,
            *(each for each in formats if each),
            *level,
            *(word for each in codecs if each for word in ("--codec", each)),
            *(["-c", lengths] if lengths else []),
            *(word for size in self.all("--cnk_byt") for word in ("--chunk-size", size)),
            *(word for each in digits if each for word in ("--quantize", each)),
            *(["--overwrite"] if self.has("-O") else []),
        ]


OF_FILES = ("-O", "-L", *_KINDS, "--fl_fmt", "--cmp", "--cnk_dmn", "--cnk_plc", "--cnk_map",
            "--cnk_byt", "--ppc", "--baa")  # fmt: skip
"""Options of a new file, which `Typed.kind` has in words of ncz."""


_ALGORITHMS = {"": "", "0": "bitgroom:", "4": "", "8": "bitround:"}
"""The numbers of ``--baa`` -> how ncz spells the algorithm."""


def _digits(texts: Sequence[str], algorithms: Sequence[str]) -> list[str | None]:
    """Return the values of ``--quantize`` for ``--ppc``; None for one that ncz lacks."""
    algorithm = _ALGORITHMS.get(algorithms[-1] if algorithms else "")
    found: list[str | None] = []
    for text in texts:
        names, _, digits = text.rpartition("=")
        if algorithm is None or not digits.isdigit():
            return [None]
        found += [
            f"{algorithm}{digits}" if name in ("", "default") else f"{name}={algorithm}{digits}"
            for name in names.split(",")
        ]
    return found


def _codecs(text: str) -> str | None:
    """Return the codecs of ``--cmp``, such as ``shf|zst,3``; None if one is unknown."""
    found = []
    for part in text.split("|"):
        name, _, level = part.strip().partition(",")
        if name.lower() not in _CODECS or not re.fullmatch(r"\d*", level):
            return None
        is_plain = _CODECS[name.lower()] in ("shuffle", "fletcher32") or not level
        found.append(_CODECS[name.lower()] + ("" if is_plain else f":{level}"))
    return "+".join(found)


def parse_arguments(name: str, typed: Sequence[str]) -> OperatorArguments | None:
    """Return the arguments of an operator; None if an option is not known."""
    own = _OF_OPERATOR.get(name, "")
    short = "".join(each for each in re.findall("[^:]:?", _SHORT) if f"{each[0]}:" not in own)
    long = {f"--{word.rstrip('=')}": option for option, words in _LONG.items() for word in words}
    names = [word for words in _LONG.values() for word in words]
    try:
        pairs, paths = getopt.gnu_getopt(list(typed), short + own, names)
    except getopt.GetoptError:
        return None
    given = [(long.get(option, option), value) for option, value in pairs]
    outputs = [value for option, value in given if option == "-o"]
    left = [pair for pair in given if _matters(name, pair[0])]
    options = tuple(pair for pair in left if pair[0] not in ("-n", "-p", "-o"))
    *sources, target = [*paths, *outputs] or [""]
    if len(paths) + len(outputs) < 2:
        sources, target = paths, ""
    for option, value in left:
        if option == "-n":
            numbered = _number_files(sources, value)
            if numbered is None:
                return None
            sources = numbered
    for option, value in left:
        if option == "-p":
            sources = [os.path.join(value, each) for each in sources]
    return OperatorArguments(options, (*sources, *([target] if target else [])))


def _matters(name: str, option: str) -> bool:
    """Return whether an option changes the output or the input of an operator."""
    if option == "-a":
        return name in ("ncpdq", "ncrename", "ncatted")  # elsewhere the order of the text
    if option == "-u":
        return name == "ncecat"
    if option in ("-m", "-M", "-H"):
        return name in ("ncks", "ncpdq") and not (name == "ncpdq" and option != "-M")
    return option not in _IGNORED


_MOST_FILES = 100_000
"""Files that one option may name."""


def _number_files(sources: Sequence[str], value: str) -> list[str] | None:
    """Return the files of ``-n COUNT,DIGITS,STEP``, beginning with the named one."""
    given = [number for each in value.split(",") if (number := whole_number(each)) is not None]
    if len(sources) != 1 or len(given) != value.count(",") + 1 or len(given) > 3:
        return None
    found = re.fullmatch(r"(.*?)(\d+)((?:\.[A-Za-z]\w*)*)", sources[0])
    if found is None:
        return None
    count, digits, step = [*given, *(len(found[2]), 1)[len(given) - 1 :]]
    if not 0 < digits <= min(len(found[2]), MOST_DIGITS) or count > _MOST_FILES:
        return None
    before, first = found[1] + found[2][:-digits], int(found[2][-digits:])
    return [f"{before}{first + step * at:0{digits}}{found[3]}" for at in range(count)]
