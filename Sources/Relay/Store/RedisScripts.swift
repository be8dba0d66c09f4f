import Bytes

/// Program that a server performs in one piece, in its own language (Lua 5.1). Nothing comes
/// between the lines of a script, so limits are exact for all relays that share the server.
///
/// A reply is a list that begins with a word. `clocks`: the clock of the relay and that of the
/// server differ too much, and nothing was done. `unknown`: the token is not that of the board.
enum RedisScript: Int, CaseIterable {
  case push, fetch, add, rotate, revoke, oldest, drop, noteStep, shift

  var text: StaticString {
    switch self {
    case .push: Self.pushText
    case .fetch: Self.fetchText
    case .add: Self.addText
    case .rotate: Self.rotateText
    case .revoke: Self.revokeText
    case .oldest: Self.oldestText
    case .drop: Self.dropText
    case .noteStep: Self.noteStepText
    case .shift: Self.shiftText
    }
  }

  /// KEYS: board, waiting. ARGV: milliseconds, clock difference, push digest, public key, sealed,
  /// seconds, day, notifications a day, notifications that wait at most, run of the server.
  ///
  /// Its judgement is that of `Account.notificationArrived`. `key` has the board's key if the
  /// notification is sealed to another one; it was not kept then.
  private static let pushText: StaticString = """
    local time = redis.call('TIME')
    if math.abs(time[1] * 1000 + time[2] / 1000 - ARGV[1]) > tonumber(ARGV[2]) then
      return {'clocks'}
    end
    local board = redis.call('HMGET', KEYS[1], 'push', 'key', 'day', 'successful', 'newest', 'run')
    if board[1] ~= ARGV[3] then return {'unknown'} end
    local day, successful, today = tonumber(board[3]), tonumber(board[4]), tonumber(ARGV[7])
    if today ~= day and today ~= day - 1 then day, successful = today, 0 end
    if successful >= tonumber(ARGV[8]) then return {'over', day, successful} end
    if not board[2] then return {'keyless', day, successful} end
    if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[9]) then return {'full', day, successful} end
    if board[2] ~= ARGV[4] then return {'key', board[2]} end
    local number = string.format('%.0f', math.max(board[5] + 1, tonumber(ARGV[1])))
    redis.call('HSET', KEYS[1], 'day', day, 'successful', successful + 1, 'newest', number)
    if board[6] ~= ARGV[10] then
      redis.call('HSET', KEYS[1], 'run', ARGV[10], 'began', number)
    end
    redis.call('ZADD', KEYS[2], number, number .. ':' .. ARGV[6] .. ':' .. ARGV[5])
    return {'accepted', day, successful + 1}
    """

  /// KEYS: board, waiting. ARGV: milliseconds, clock difference, fetch digest, public key,
  /// acknowledged, seconds, notifications at most, their bytes at most.
  ///
  /// `waiting` has how many remain, then number, arrival and bytes of each notification. It forgets
  /// before all else: a server without memory refuses a script whose first write needs some.
  private static let fetchText: StaticString = """
    local time = redis.call('TIME')
    if math.abs(time[1] * 1000 + time[2] / 1000 - ARGV[1]) > tonumber(ARGV[2]) then
      return {'clocks'}
    end
    if redis.call('HGET', KEYS[1], 'fetch') ~= ARGV[3] then return {'unknown'} end
    redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[5])
    redis.call('HSET', KEYS[1], 'fetched', ARGV[6], 'key', ARGV[4])
    local answer, room, count = {'waiting', 0}, tonumber(ARGV[8]), 0
    while count < tonumber(ARGV[7]) do
      local each = redis.call('ZRANGE', KEYS[2], count, count)[1]
      if not each then break end
      local number, arrived, place = string.match(each, '^(%d+):(-?%d+):()')
      room = room - (#each - place + 1)
      if room < 0 and count > 0 then break end
      count = count + 1
      answer[#answer + 1] = number
      answer[#answer + 1] = arrived
      answer[#answer + 1] = string.sub(each, place)
    end
    answer[2] = redis.call('ZCARD', KEYS[2]) - count
    return answer
    """

  /// KEYS: names, tokens, board. ARGV: name, identifier, push digest, fetch digest, seconds, day.
  private static let addText: StaticString = """
    if redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2]) == 0 then return 0 end
    redis.call('HSET', KEYS[2], 'p' .. ARGV[3], ARGV[2], 'f' .. ARGV[4], ARGV[2])
    redis.call('HSET', KEYS[3], 'push', ARGV[3], 'fetch', ARGV[4], 'created', ARGV[5],
      'day', ARGV[6], 'successful', 0, 'newest', 0)
    return 1
    """

  /// KEYS: names, tokens, board. ARGV: name, identifier, push digest, fetch digest.
  private static let rotateText: StaticString = """
    if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
    local old = redis.call('HMGET', KEYS[3], 'push', 'fetch')
    redis.call('HDEL', KEYS[2], 'p' .. old[1], 'f' .. old[2])
    redis.call('HSET', KEYS[2], 'p' .. ARGV[3], ARGV[2], 'f' .. ARGV[4], ARGV[2])
    redis.call('HSET', KEYS[3], 'push', ARGV[3], 'fetch', ARGV[4])
    redis.call('HDEL', KEYS[3], 'key')
    return 1
    """

  /// KEYS: names, tokens, board, waiting. ARGV: name, identifier.
  private static let revokeText: StaticString = """
    if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
    local old = redis.call('HMGET', KEYS[3], 'push', 'fetch')
    redis.call('HDEL', KEYS[2], 'p' .. old[1], 'f' .. old[2])
    redis.call('HDEL', KEYS[1], ARGV[1])
    redis.call('DEL', KEYS[3], KEYS[4])
    return 1
    """

  /// KEYS: waiting of some boards. Returns for each the arrival of its first notification, or null.
  private static let oldestText: StaticString = """
    local arrivals = {}
    for index, waiting in ipairs(KEYS) do
      local each = redis.call('ZRANGE', waiting, 0, 0)[1]
      arrivals[index] = each and string.match(each, '^%d+:(-?%d+):') or false
    end
    return arrivals
    """

  /// KEYS: waiting of some boards. ARGV: seconds of the first arrival that is not too old,
  /// notifications at most. Returns how many it dropped.
  private static let dropText: StaticString = """
    local dropped = 0
    for _, waiting in ipairs(KEYS) do
      while dropped < tonumber(ARGV[2]) do
        local each = redis.call('ZRANGE', waiting, 0, 0)[1]
        if not each then break end
        if tonumber(string.match(each, '^%d+:(-?%d+):')) >= tonumber(ARGV[1]) then break end
        redis.call('ZREM', waiting, each)
        dropped = dropped + 1
      end
    end
    return dropped
    """

  /// KEYS: step. ARGV: milliseconds, clock difference, seconds of the step.
  ///
  /// Returns 1 if the clock of the server was set, too, and no other relay has said so: relays find
  /// the same step within minutes.
  private static let noteStepText: StaticString = """
    local time = redis.call('TIME')
    if math.abs(time[1] * 1000 + time[2] / 1000 - ARGV[1]) > tonumber(ARGV[2]) then return 0 end
    local last = redis.call('HMGET', KEYS[1], 'seconds', 'at')
    if last[1] and math.abs(last[1] - ARGV[3]) < 60 and math.abs(last[2] - time[1]) < 300 then
      return 0
    end
    redis.call('HSET', KEYS[1], 'seconds', ARGV[3], 'at', time[1])
    return 1
    """

  /// KEYS: board, waiting. ARGV: seconds by which the arrivals of a run are moved, the run.
  private static let shiftText: StaticString = """
    local board = redis.call('HMGET', KEYS[1], 'run', 'began')
    if board[1] ~= ARGV[2] then return 0 end
    local count = redis.call('ZCARD', KEYS[2])
    for index = redis.call('ZCOUNT', KEYS[2], '-inf', '(' .. board[2]), count - 1 do
      local each = redis.call('ZRANGE', KEYS[2], index, index)[1]
      local number, arrived, place = string.match(each, '^(%d+):(-?%d+):()')
      redis.call('ZREM', KEYS[2], each)
      redis.call('ZADD', KEYS[2], number, number .. ':' ..
        string.format('%.0f', arrived + ARGV[1]) .. ':' .. string.sub(each, place))
    end
    return count
    """
}

/// Answer of a script to a notification, or of a board's question.
enum ScriptAnswer {
  case accepted(day: Int64, successful: Int64)
  case over(day: Int64, successful: Int64)
  case keyless(day: Int64, successful: Int64)
  case full(day: Int64, successful: Int64)
  case key([UInt8])
  case waiting([SealedNotification], remaining: Int64)

  /// Reads what follows the word; returns nil if it has another form.
  init?(_ word: [UInt8], _ rest: ArraySlice<RedisReply>) {
    if word == utf8("key"), rest.count == 1, case .bytes(let key) = rest.first {
      self = .key(key)
    } else if word == utf8("waiting"), case .integer(let remaining) = rest.first,
      let notifications = Self.notifications(rest.dropFirst())
    {
      self = .waiting(notifications, remaining: max(0, remaining))
    } else if rest.count == 2, case .integer(let day) = rest.first,
      case .integer(let successful) = rest.last
    {
      self.init(word, day, successful)
    } else {
      return nil
    }
  }

  private init?(_ word: [UInt8], _ day: Int64, _ successful: Int64) {
    switch Text(word) {
    case "accepted": self = .accepted(day: day, successful: successful)
    case "over": self = .over(day: day, successful: successful)
    case "keyless": self = .keyless(day: day, successful: successful)
    case "full": self = .full(day: day, successful: successful)
    default: return nil
    }
  }

  private static func notifications(_ parts: ArraySlice<RedisReply>) -> [SealedNotification]? {
    var read: [SealedNotification] = []
    var rest = parts
    while !rest.isEmpty {
      guard case .bytes(let text) = rest.popFirst(), let number = decimal(text),
        case .bytes(let time) = rest.popFirst(), let arrived = decimal(time),
        case .bytes(let sealed) = rest.popFirst()
      else { return nil }
      read.append(
        SealedNotification(number: number, arrived: WallTime(seconds: arrived), sealed: sealed))
    }
    return read
  }
}
