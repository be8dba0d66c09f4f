"""What a hostile peer makes of real traffic. All chance comes from the dice that are handed in."""

import re

NUMBERS = [
  "-", "01", "1e", "+1", ".5", "1.", "1e999", "-1e999", "NaN", "-0", "0.0000000000000000000001",
  str(2**31), str(2**32), str(2**63 - 1), str(2**63), str(-(2**63)), str(2**64), "1" * 400,
  "9" * 19, "-9223372036854775809", "1e18", "-1e18", "3e38", "181", "-91", "null", '"1"', "[]"]
STRINGS = [
  '""', '"' + "a" * 63 + '"', '"' + "a" * 300 + '"', '"' + "b" * 40_000 + '"', '"\\ud800"',
  '"\\udc00\\ud800"', '"\\u0000"', '"\\"', '"\\x"', '"\x01"', '"\x1b[2J"', '"' + "é" * 260 + '"',
  '"' + "🚤" * 200 + '"', '"../../x"', '"http://[::1"', '"https://' + "h" * 3000 + '/"', "1", "{}",
  "null", "true", '"2262-04-11T23:47:17Z"', '"1970-01-01T00:00:00Z"', '"0001-01-01T00:00:00Z"',
  '"9999-12-31T23:59:60Z"']
WORDS = ["true", "false", "null", "tru", "nul", "0", '"true"', "{}"]
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null')
BRACKET = re.compile(r"[\[\]{},:]")


def text(dice, original):
  """One or a few changes of a text of JSON."""
  for _ in range(dice.choice([1, 1, 1, 2, 5])):
    original = dice.choice(TEXT_CHANGES)(dice, original)
  return original


def a_token(dice, original):
  """Another value, or another key, in the place of one."""
  found = list(TOKEN.finditer(original))
  if not found:
    return original
  token = dice.choice(found)
  old = token.group()
  if old[0] == '"':
    new = dice.choice(STRINGS)
  elif old[0] in "tfn":
    new = dice.choice(WORDS)
  else:
    new = dice.choice(NUMBERS)
  return original[:token.start()] + new + original[token.end():]


def a_bracket(dice, original):
  """One bracket, comma or colon is gone, doubled or another one."""
  found = list(BRACKET.finditer(original))
  if not found:
    return original
  place = dice.choice(found).start()
  new = dice.choice(["", original[place] * 2, *"[]{},:", "}}", "\n", " \t "])
  return original[:place] + new + original[place + 1:]


def doubled_member(dice, original):
  """A piece between two commas stands there twice."""
  commas = [place for place, letter in enumerate(original) if letter == ","]
  if len(commas) < 2:
    return original
  index = dice.randrange(len(commas) - 1)
  piece = original[commas[index]:commas[index + 1]]
  return original[:commas[index]] + piece * dice.choice([2, 2, 40]) + original[commas[index + 1]:]


def cut(dice, original):
  """The end is missing, or the beginning."""
  place = dice.randrange(len(original) + 1)
  return original[:place] if dice.random() < 0.7 else original[place:]


def twice(dice, original):
  """Something stands behind the value."""
  return original + dice.choice([original, "}", '"class":"RTCM3"}', "\0", " x", "[" * 1000])


def deep(dice, original):
  """Values inside one another, too many to follow."""
  depth = dice.choice([63, 64, 65, 1000, 20_000])
  opening, closing = dice.choice([("[", "]"), ('{"a":', "}")])
  nested = opening * depth + "1" + closing * dice.choice([depth, 0])
  found = list(TOKEN.finditer(original))
  if not found:
    return nested
  token = dice.choice(found)
  return original[:token.start()] + nested + original[token.end():]


def wide(dice, original):
  """So many values that each of them may cost memory, in the place of one."""
  found = list(TOKEN.finditer(original))
  values = "[" + ",".join(["1"] * dice.choice([5000, 400_000])) + "]"
  if not found:
    return values
  token = dice.choice(found)
  return original[:token.start()] + values + original[token.end():]


def some_letters(dice, original):
  """Letters anywhere are others, or gone."""
  letters = list(original)
  for _ in range(min(len(letters), dice.choice([1, 1, 3, 20]))):
    place = dice.randrange(len(letters))
    letters[place] = dice.choice(["", "\0", "\xff", '"', "\\", "-", "9", "\r\n", chr(dice.randrange(1, 128))])
  return "".join(letters)


TEXT_CHANGES = [
  a_token, a_token, a_token, a_token, a_bracket, doubled_member, cut, twice, deep, wide,
  some_letters]


def data(dice, original):
  """The same for bytes that are no text."""
  changed = bytearray(original)
  for _ in range(dice.choice([1, 1, 2, 4, 16])):
    if not changed:
      return bytes(dice.randrange(256) for _ in range(dice.randrange(64)))
    place = dice.randrange(len(changed))
    change = dice.randrange(6)
    if change == 0:
      changed[place] ^= 1 << dice.randrange(8)
    elif change == 1:
      changed[place] = dice.choice([0, 1, 0x7F, 0x80, 0xC0, 0xFF])
    elif change == 2:
      del changed[place:place + dice.choice([1, 2, 4, 64])]
    elif change == 3:
      changed[place:place] = bytes([dice.choice([0, 0xFF, 0x41])]) * dice.choice([1, 4, 300])
    elif change == 4:
      changed[place:place + 4] = dice.choice([b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff"])
    else:
      changed += changed[place:place + 256]
  return bytes(changed)
