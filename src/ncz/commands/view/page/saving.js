// Saving files from the page.

/** Return a file name with the names of the dataset and the variable. */
function fileName(ending) {
  const words = [state.dataset.name, state.variable.path, ...ending.split(".").slice(0, -1)].filter(Boolean);
  const name = words.join("_").replace(/[^\p{L}\p{N}._-]+/gu, "_").replace(/^[._]+/, "").slice(0, 120);
  return `${name || "picture"}.${ending.split(".").at(-1)}`;
}

function save(blob, name) {
  const link = make("a", "", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
