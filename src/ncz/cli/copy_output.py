"""The plan of a copy and its result, as the command line prints them."""

from __future__ import annotations

import json
from typing import Any

from ncz.cli.terminal import visible
from ncz.commands.copy.options import PROGRAM_MEMORY
from ncz.commands.copy.plan import CopyPlan, VariablePlan
from ncz.commands.copy.summary import Summary
from ncz.errors import in_command_line, quantity
from ncz.model.chunks import ChunkLayout
from ncz.text.sizes import format_size


def copy_text(plan: CopyPlan, *, as_json: bool) -> str:
    """Return the plan of a copy for ``--dry-run``."""
    return plan_json(plan) if as_json else plan_text(plan)


def success_text(summary: Summary, seconds: float) -> str:
    """Return the line that reports a copy on a terminal."""
    done = [quantity(summary.variables, "variable")] if summary.variables else []
    if summary.compared:
        done.append(f"{summary.compared:,} values are equal")
    if summary.size:
        done.append(f"{format_size(summary.size)} written")
    return f"{', '.join(done) or 'done'}, in {max(1, round(seconds))} s"


def plan_text(plan: CopyPlan) -> str:
    """Return one line for each variable, one for the target's form, each change and each loss."""
    rows = [("variable", "way", "chunks", "from", "to")]
    for variable in plan.variables:
        layout = variable.array.layout
        to = _chunk_text(layout)
        source = "-"
        if variable.transfer is not None:
            ours = variable.transfer.source.layout
            source = _chunk_text(ours)
        rows.append((variable.array.fqn, _way(variable), str(variable.chunks), source, to))
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = [
        "  ".join([*(c.ljust(w) for c, w in zip(row, widths, strict=False)), row[4]])
        for row in rows
    ]
    lines.append(f"memory: limited to {format_size(plan.memory + PROGRAM_MEMORY)}")
    lines.append(f"target: {plan.target.form}")
    lines += [f"change: {change.message}" for change in plan.changes]
    lines += [f"loss: {in_command_line(notice.message)}" for notice in plan.losses]
    lines.append(f"forecast: {_forecast_text(plan)}")
    return "".join(visible(line) + "\n" for line in lines)


def _forecast_text(plan: CopyPlan) -> str:
    """Return the forecast of the bytes, the objects and the time of a copy."""
    from ncz.commands.copy.forecast import forecast

    expected = forecast(plan)
    text = f"about {format_size(expected.size)} in {quantity(expected.objects, 'object')}"
    if expected.beside:
        text += f", {format_size(expected.beside)} of them in a folder next to the set,"
    if expected.referred:
        text += f" and references to {format_size(expected.referred)}"
    text += f", in {_duration(expected.seconds)}"
    return f"{text} and the time of the upload" if plan.is_uploaded else text


def _duration(seconds: float) -> str:
    """Return a time that is not known exactly."""
    if seconds < 1:
        return "less than 1 s"
    if seconds < 100:
        return f"about {seconds:.0f} s"
    if seconds < 5400:
        return f"about {seconds / 60:.0f} min"
    return f"about {seconds / 3600:.1f} h"


def _way(variable: VariablePlan) -> str:
    """Return the way, the number of reads of each chunk, and the share that is encoded anyway."""
    rechunk = variable.rechunk
    if rechunk is not None and rechunk.spills:
        return f"{variable.way}, {format_size(rechunk.spill_size)} temporary"
    if rechunk is not None and rechunk.reads > 1:
        return f"{variable.way}, {rechunk.reads} reads"
    if variable.way == "raw" and variable.encoded_size:
        return f"{variable.way}, {format_size(variable.encoded_size)} encoded"
    return variable.way


def _chunk_text(layout: ChunkLayout) -> str:
    """Return the shape and the codecs of chunks, and the shape of their shards."""
    most = "" if layout.lengths is None else "up to "
    if layout.shard is None:
        return f"{most}{_shape(layout.chunks)} {_codecs(layout.inner_codecs)}"
    shard = f"in shards of {most}{_shape(layout.chunks)}"
    more = f" {_codecs(layout.codecs)}" if layout.codecs else ""
    return f"{_shape(layout.shard.chunks)} {_codecs(layout.inner_codecs)} {shard}{more}"


def _shape(chunks: tuple[int, ...]) -> str:
    return "x".join(map(str, chunks)) or "scalar"


def _codecs(codecs: tuple[Any, ...]) -> str:
    return "+".join(str(codec.id) for codec in codecs) or "none"


def plan_json(plan: CopyPlan) -> str:
    """Return the plan as JSON, for scripts."""
    from ncz.commands.copy.forecast import forecast

    expected = forecast(plan)
    document = {
        "variables": [
            {
                "name": v.array.fqn,
                "way": v.way,
                "chunks": v.chunks,
                "bytes": v.size,
                "encoded_bytes": v.encoded_size,
                **_stored_json(v.array.layout),
                **({"irregular": True} if v.array.layout.lengths is not None else {}),
                "reads": v.rechunk.reads if v.rechunk else 1,
                "temporary_bytes": v.rechunk.spill_size if v.rechunk else 0,
            }
            for v in plan.variables
        ],
        "memory_bytes": plan.memory + PROGRAM_MEMORY,
        **plan.target.details,
        "changes": [
            {"message": change.message, "requested": change.requested} for change in plan.changes
        ],
        "losses": [in_command_line(notice.message) for notice in plan.losses],
        "forecast": {
            "bytes": expected.size,
            "objects": expected.objects,
            "seconds": round(expected.seconds, 3),
            "sampled_bytes": expected.sampled,
            "referred_bytes": expected.referred,
            "bytes_beside": expected.beside,
        },
    }
    return json.dumps(document, indent=2) + "\n"


def _stored_json(layout: ChunkLayout) -> dict[str, Any]:
    """Return the members that describe the chunks, and their shards if any."""
    if layout.shard is None:
        codecs = [codec.to_json() for codec in layout.inner_codecs]
        return {"chunk_shape": list(layout.chunks), "codecs": codecs}
    return {
        "chunk_shape": list(layout.shard.chunks),
        "shard_shape": list(layout.chunks),
        "codecs": [codec.to_json() for codec in layout.inner_codecs],
    }


def summary_json(summary: Summary, source: str, target: str) -> str:
    """Return the result as JSON on one line, for scripts."""

    document = {
        "source": source,
        "target": target,
        "variables": summary.variables,
        "raw": summary.ways.get("raw", 0),
        "recode": summary.ways.get("recode", 0),
        "rechunk": summary.ways.get("rechunk", 0),
        "write": summary.ways.get("write", 0),
        "chunks": summary.chunks,
        "bytes": summary.size,
        "chunks_kept": summary.kept,
        "values_compared": summary.compared,
        "read_by": summary.read_by,
        "damaged": [
            {"location": error.location, "message": in_command_line(error.message)}
            for error in summary.damaged
        ],
    }
    return json.dumps(document) + "\n"
