"""Reads a flattened device tree, as the kernel is given it (Devicetree Specification, chapter 5)."""

import struct

MAGIC = 0xD00DFEED
BEGIN_NODE, END_NODE, PROPERTY, NOTHING, END = 1, 2, 3, 4, 9


class Malformed(Exception):
  """These bytes are no device tree."""


class Node:
  """A node, with its properties as bytes."""

  def __init__(self, name, parent=None):
    self.name, self.parent = name, parent
    self.properties, self.children = {}, []

  @property
  def path(self):
    return "" if self.parent is None else f"{self.parent.path}/{self.name}"

  def walk(self):
    """This node and all below it."""
    yield self
    for child in self.children:
      yield from child.walk()

  def find(self, path):
    """The node at a path that begins with a slash; None where there is none."""
    node = self
    for name in path.split("/")[1:]:
      node = next((child for child in node.children if child.name == name), None)
      if node is None:
        return None
    return node

  def texts(self, name):
    """A property of texts with a NUL behind each."""
    value = self.properties.get(name, b"")
    return value.removesuffix(b"\0").decode().split("\0") if value else []

  def cells(self, name):
    """A property of numbers of 32 bits."""
    value = self.properties.get(name, b"")
    return list(struct.unpack(f">{len(value) // 4}I", value[:len(value) // 4 * 4]))

  @property
  def is_enabled(self):
    return (self.texts("status") or ["okay"])[0] in ("okay", "ok")


def parse(blob):
  """The root of the tree in the bytes of a .dtb file."""
  try:
    return parse_structure(blob, *struct.unpack_from(">4I", blob))
  except (struct.error, ValueError, IndexError, AttributeError) as error:
    raise Malformed(str(error)) from error


def parse_structure(blob, magic, _size, position, texts):
  if magic != MAGIC:
    raise Malformed("it does not begin as a device tree")
  node = root = None
  while True:
    token, = struct.unpack_from(">I", blob, position)
    position += 4
    if token == BEGIN_NODE:
      end = blob.index(0, position)
      child = Node(blob[position:end].decode(), node)
      root = root or child
      if node:
        node.children.append(child)
      node, position = child, aligned(end + 1)
    elif token == END_NODE:
      node = node.parent
    elif token == PROPERTY:
      length, name = struct.unpack_from(">II", blob, position)
      position += 8
      name = blob[texts + name:blob.index(0, texts + name)].decode()
      node.properties[name] = blob[position:position + length]
      position = aligned(position + length)
    elif token == END:
      return root
    elif token != NOTHING:
      raise Malformed(f"{token} is no token")


def aligned(position):
  return (position + 3) & ~3
