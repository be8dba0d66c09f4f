import Bytes
import HomeAssistant

/// What a server may say to a client that logs in, and to one that renews an access token: nothing
/// of it is a trap, a login ends, and a rejected credential is never sent again.
///
/// The input is a list of answers: a byte for the status, two for a length (the lower one first),
/// and as many bytes.
func fuzz(_ input: Span<UInt8>) {
  logIn(Answers(input))
  renew(Answers(input))
}

private let now = Instant(nanoseconds: 1_000_000_000)
private let statuses = [200, 200, 200, 400, 401, 403, 404, 429, 500, 302]

private struct Answers {
  private let input: [UInt8]
  private var place = 0

  init(_ input: Span<UInt8>) { self.input = [UInt8](input) }

  mutating func next() -> (status: Int, body: [UInt8])? {
    guard input.count - place >= 3 else { return nil }
    let status = statuses[Int(input[place]) % statuses.count]
    let count = min(Int(input[place + 1]) | Int(input[place + 2]) << 8, input.count - place - 3)
    let body = [UInt8](input[place + 3..<place + 3 + count])
    place += 3 + count
    return (status, body)
  }
}

private func logIn(_ answers: Answers) {
  var answers = answers
  var flow = LoginFlow(url: [UInt8]("http://ha"))
  var action = LoginFlow.Action.send(flow.begin())
  var typed: UInt8 = 0
  while true {
    switch action {
    case .send:
      guard let answer = answers.next() else { return }
      action = flow.answerReceived(
        AnswerHead(status: answer.status), body: answer.body.span, now: now)
    case .ask(let step, _):
      typed &+= 1
      switch step {
      case .credentials: action = flow.credentialsGiven(user: [typed], password: [typed])
      case .module(let modules):
        expect("there is something to choose", !modules.isEmpty)
        action = flow.moduleChosen(Int(typed) % modules.count)
      case .code: action = flow.codeGiven([typed])
      }
    case .end(let result):
      guard case .success(let login) = result else { return }
      var file = ByteBuffer(capacity: Credential.fileByteCountMax)
      login.credential.writeFile(into: &file)
      expect("a credential can be kept", !file.isOverflowed)
      expect("and is read again", (try? Credential(file: file.bytes)) == login.credential)
      return
    }
  }
}

private func renew(_ answers: Answers) {
  var answers = answers
  var moment = now
  var tokens = AccessTokens(
    credential: .refreshToken([UInt8]("refresh"), clientID: [UInt8]("http://ha/")),
    rejected: RejectedTokens(), seed: 1)
  while let answer = answers.next() {
    moment = moment + .seconds(Int64(answer.body.first ?? 0) * 10)
    guard case .send = tokens.tokenWanted(now: moment) else {
      // A token may be refused at any time.
      if case .use(let token) = tokens.tokenWanted(now: moment) {
        refuse(token, &tokens, answer, moment)
      }
      continue
    }
    let step = tokens.answerReceived(
      AnswerHead(status: answer.status), body: answer.body.span, now: moment)
    if case .use(let token) = step { refuse(token, &tokens, answer, moment) }
    if tokens.isRejected {
      expect("what is rejected is not sent", tokens.tokenWanted(now: moment) == .rejected)
    }
  }
}

private func refuse(
  _ token: [UInt8], _ tokens: inout AccessTokens, _ answer: (status: Int, body: [UInt8]),
  _ moment: Instant
) {
  guard answer.body.count & 1 == 1 else { return }
  let verdicts: [TokenVerdict] = [.invalid, .unexplained, .denied(InlineText("local only"))]
  let refused = RefusedToken(token, verdicts[answer.body.count / 2 % verdicts.count])
  for _ in 0..<2 {
    if case .send = tokens.tokenRefused(refused, now: moment) {
      _ = tokens.tokenRefused(refused, now: moment)
      _ = tokens.answerReceived(
        AnswerHead(status: answer.status), body: answer.body.span, now: moment)
    }
  }
}
