"""Finds what the compiler refuses before anything is built: it checks the types of modules alone.

A build finds the errors of a module only after what is below it is compiled, and makes code for all
that is right; a check takes seconds. It does not find all: that a variable has no value yet, for
instance, is found when code is made.
"""

import pathlib
import shutil
import subprocess
import tempfile

FLAGS = {
  "strictMemorySafety": "-strict-memory-safety", "enableUpcomingFeature": "-enable-upcoming-feature",
  "enableExperimentalFeature": "-enable-experimental-feature"}


def flags(settings):
  """What a target's settings in the manifest are for the compiler."""
  found = []
  for setting in settings:
    (kind, values), = setting["kind"].items()
    if setting["tool"] == "swift" and kind in FLAGS:
      found += [FLAGS[kind], *values.values()]
  return found


class TypeChecker:
  def __init__(self, folder, package):
    self.folder, self.package = pathlib.Path(folder), package
    self.interfaces = pathlib.Path(tempfile.mkdtemp(prefix="interfaces-", dir=self.folder / ".."))

  def __enter__(self):
    return self

  def __exit__(self, *_):
    shutil.rmtree(self.interfaces)

  def prepare(self, modules):
    """Writes the interfaces of what the modules import. A mutant changes none."""
    done = set()

    def emit(module):
      for name in sorted(self.package.needs.get(module, ())):
        if name not in done and self.sources(name):
          done.add(name)
          emit(name)
          self.swiftc(
            name, "-emit-module", "-emit-module-path", self.interfaces / f"{name}.swiftmodule",
            "-whole-module-optimization", "-Xfrontend", "-experimental-skip-all-function-bodies")
    for module in modules:
      emit(module)

  def errors(self, modules):
    """What the compiler says of modules that it refuses."""
    return "".join(self.swiftc(module, "-typecheck") for module in modules)

  def sources(self, module):
    return sorted((self.folder / "Sources" / module).rglob("*.swift"))

  def swiftc(self, module, *how):
    done = subprocess.run(
      ["swiftc", *how, "-module-name", module, *flags(self.package.settings.get(module, ())),
       "-swift-version", "6", "-parse-as-library", "-package-name", "package",
       "-suppress-warnings", "-module-cache-path", self.interfaces / "cache",
       "-I", self.interfaces, *self.module_maps(), *self.sources(module)],
      cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
      text=True, errors="replace")
    return done.stdout if done.returncode != 0 else ""

  def module_maps(self):
    """Where the modules of C are told of."""
    for folder in [*sorted((self.folder / "Sources").iterdir()), self.folder / "MutantSwitch"]:
      for path in (folder / "module.modulemap", folder / "include/module.modulemap"):
        if path.exists():
          yield from ("-Xcc", f"-fmodule-map-file={path}")
