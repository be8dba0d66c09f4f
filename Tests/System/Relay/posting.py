"""Boards that get notifications while something is killed, and what has to hold then."""

import concurrent.futures
import http.client
import itertools
import threading
import time

from relay import Refused


def hold_posts(boards, relays, disturb, refusals=(507,)):
  """Posts for all boards through some relay while `disturb` runs. What was accepted is fetched once
  and in order; returns how much that was."""
  accepted = [[] for _ in boards]
  fetched = [[] for _ in boards]
  is_over = threading.Event()

  def post(index):
    # A load balancer: each connection goes to the next relay.
    turns, connection = itertools.count(index), None
    for number in itertools.count():
      if is_over.is_set():
        return
      try:
        connection = connection or boards[index].connect(relays[next(turns) % len(relays)])
        status, answer = boards[index].push(f"{index}:{number}", connection)
        if status == 201:
          accepted[index].append(f"{index}:{number}")
        elif status not in refusals:
          raise Refused(status, answer)
        if number % 50 == 49:
          fetched[index] += boards[index].fetch(connection)
        if number % 20 == 19 and len(relays) > 1:
          connection = None
      except Refused as refused:
        if refused.status not in refusals:
          raise
      except (OSError, http.client.HTTPException):
        connection = None
        time.sleep(0.01)

  with concurrent.futures.ThreadPoolExecutor(len(boards)) as threads:
    posts = [threads.submit(post, index) for index in range(len(boards))]
    try:
      disturb()
    finally:
      is_over.set()
    for each in posts:
      each.result()
  for index, board in enumerate(boards):
    fetched[index] += board.fetch_all()
    compare(index, accepted[index], fetched[index])
  return sum(map(len, accepted))


def compare(index, accepted, fetched):
  """What a board has fetched is what was accepted for it."""
  numbers = [number for number, _ in fetched]
  messages = [message for _, message in fetched]
  assert numbers == sorted(set(numbers)), f"board {index}: a number comes twice, or too late"
  lost = set(accepted) - set(messages)
  assert not lost, f"board {index}: {len(lost)} accepted notifications are lost"
  in_order = [message for message in messages if message in set(accepted)]
  assert in_order == accepted, f"board {index}: they come in another order"
