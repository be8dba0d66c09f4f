"""Writes mutants into the sources: both ways of a decision in one program, chosen as it runs."""

from collections import namedtuple

from picker import COMPARISONS, LOGIC

# The file with the switches, in each module that has mutants.
FILE = "Mutants.swift"
CALLS = {
  "flip": "mutantFlip", "always": "mutantAlways", "never": "mutantNever", "more": "mutantMore",
  "less": "mutantLess", "nothing": "mutantNothing"}
DIGITS = "+-%&|^~*"

SWITCHES = """\
// What the mutants of this module are made of.
internal import MutantSwitch

func mutantIsOn(_ number: Int32, _ differs: Bool = true) -> Bool { mutant_is_on(number, differs) }
func mutantFlip(_ number: Int32, _ value: Bool) -> Bool { value != mutantIsOn(number) }
func mutantAlways(_ number: Int32, _ value: Bool) -> Bool { mutantIsOn(number, !value) || value }
func mutantNever(_ number: Int32, _ value: Bool) -> Bool { !mutantIsOn(number, value) && value }
func mutantMore<N: FixedWidthInteger>(_ number: Int32, _ value: N) -> N {
  mutantIsOn(number) ? value &+ 1 : value
}
func mutantLess<N: FixedWidthInteger>(_ number: Int32, _ value: N) -> N {
  mutantIsOn(number) ? value &- 1 : value
}
func mutantNothing<Value>(_ number: Int32, _ value: Value?) -> Value? {
  if case .none = value { return mutantIsOn(number, false) ? nil : value }
  return mutantIsOn(number) ? nil : value
}
func mutant_min<N: Comparable>(_ number: Int32, _ a: N, _ b: N) -> N {
  mutantIsOn(number, a != b) ? max(a, b) : min(a, b)
}
func mutant_max<N: Comparable>(_ number: Int32, _ a: N, _ b: N) -> N {
  mutantIsOn(number, a != b) ? min(a, b) : max(a, b)
}
"""

C_HEADER = """\
#pragma once
#include <stdbool.h>

extern int mutant_number;
extern unsigned char *mutant_reach;

/* Whether this mutant is the one of this run. Notes that it was reached, and whether it makes a
   difference here. */
static inline bool mutant_is_on(int number, bool differs) {
  if (mutant_reach) mutant_reach[number] |= differs ? 3 : 1;
  return number == mutant_number;
}
"""

C_MODULE_MAP = 'module MutantSwitch { header "mutant_switch.h" }\n'

C_SOURCE = """\
#include "mutant_switch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int mutant_number;
unsigned char *mutant_reach;

__attribute__((constructor)) static void choose(void) {
  const char *number = getenv("HOMEWARD_MUTANT"), *path = getenv("HOMEWARD_MUTANT_REACH");
  if (number) mutant_number = atoi(number);
  if (!path) return;
  int file = open(path, O_RDWR | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) < 0) return;
  void *map = mmap(NULL, status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (map != MAP_FAILED) mutant_reach = map;
  close(file);
}
"""

Edit = namedtuple("Edit", "position rank text end number")


def operator_name(number):
  """An operator of its own for a mutant. No operator of Swift looks like that."""
  name = ""
  while number or not name:
    name, number = DIGITS[number % 8] + name, number // 8
  return "<~" + name


def operator(number, one):
  """The declaration of the operator that is both."""
  name, precedence = operator_name(number), "Comparison"
  if one.before in COMPARISONS:
    kind = "AnyObject?" if len(one.before) == 3 else None
    protocol = "Equatable" if one.before in ("==", "!=") else "Comparable"
    body = (
      f"{{\n  let original = a {one.before} b, mutated = a {one.after} b\n"
      f"  return mutantIsOn({number}, original != mutated) ? mutated : original\n}}")
    signature = f"(a: {kind}, b: {kind}) -> Bool" if kind else (
      f"<T: {protocol}>(a: T, b: T) -> Bool")
    functions = [f"func {name} {signature} {body}"]
    if protocol == "Equatable" and kind is None:
      functions.append(f"func {name} <T>(a: T?, b: _OptionalNilComparisonType) -> Bool {body}")
  elif one.before in LOGIC:
    precedence = "LogicalConjunction" if one.before == "&&" else "LogicalDisjunction"
    functions = [
      f"func {name} (a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool {{\n"
      f"  if mutantIsOn({number}) {{ return try a {one.after} b() }}\n"
      f"  return try a {one.before} b()\n}}"]
  elif one.before.endswith("="):
    precedence = "Assignment"
    functions = [
      f"func {name} <T: AdditiveArithmetic>(a: inout T, b: T) {{\n"
      f"  if mutantIsOn({number}) {{ a {one.after} b }} else {{ a {one.before} b }}\n}}"]
  else:
    precedence = "Addition"
    functions = [
      f"func {name} <T: AdditiveArithmetic>(a: T, b: T) -> T {{\n"
      f"  mutantIsOn({number}) ? a {one.after} b : a {one.before} b\n}}"]
  return "\n".join([f"infix operator {name}: {precedence}Precedence", *functions]) + "\n"


def switches(numbered):
  """The file of a module: what its mutants need."""
  return SWITCHES + "".join(
    operator(number, one) for number, one in sorted(numbered.items()) if one.weave == "operator")


def weave(text, numbered):
  """The source with its mutants, and where in it each stands: {number: (start, end)}."""
  edits = []
  for number, one in numbered.items():
    width = one.end - one.start
    if one.weave == "operator":
      edits.append(Edit(one.start, (2, 0, 0), operator_name(number), one.end, number))
    elif one.weave == "callee":
      opening = text.index("(", one.end) + 1
      edits.append(
        Edit(one.start, (2, 0, 0), f"mutant_{one.before}({number}, ", opening, number))
    else:
      head = f"if !mutantIsOn({number}) {{ "
      head, tail = (head, " }") if one.weave == "drop" else (
        f"{CALLS[one.weave]}({number}, ", ")")
      # Of those that begin together the widest is outside; so it is for those that end together.
      edits.append(Edit(one.start, (1, -width, number), head, one.start, number))
      edits.append(Edit(one.end, (0, width, -number), tail, one.end, number))
  edits.sort(key=lambda edit: (edit.position, edit.rank))
  parts, position, length, places = [], 0, 0, {}
  for edit in edits:
    parts += [text[position:edit.position], edit.text]
    length += len(parts[-2])
    begin = places.get(edit.number, (length, 0))[0]
    length += len(edit.text)
    places[edit.number] = (begin, length)
    position = edit.end
  return "".join([*parts, text[position:]]), places
