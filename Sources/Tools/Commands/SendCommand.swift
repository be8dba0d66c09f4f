import Board
import Bytes
import CLinux
import HomeAssistant

extension Command {
  static var send: Command {
    Command(
      name: "send", summary: "send one message of any type, and show the answer",
      help: sendHelp, success: "Home Assistant has it; the output states if that is not proven",
      codes: [
        .dataError, .noInput, .unavailable, .temporaryFailure, .protocolError, .noPermission,
        .configuration,
      ],
      options: [DataArgument.option], wordsMax: .max
    ) { (options: Options) throws(UsageError) in try SendCommand(options).run }
  }

  private static var sendHelp: StaticString {
    """
    homeward send: sends one message to Home Assistant in the name of this board,
    sealed with the key of its registration, and shows the answer. It can run beside
    the agent.

    Usage:
      homeward send TYPE [WORDS] [--data JSON] [--config FILE] [--json]

    Types:
      get_config                    the configuration of Home Assistant
      get_zones                     its zones
      render_template TEMPLATE      --data: the template's variables
      fire_event EVENT              --data: the data of the event
      call_service DOMAIN.SERVICE   --data: the data of the service, with entity_id
      scan_tag TAG
      conversation_process SENTENCE
      stream_camera ENTITY
      update_location LATITUDE LONGITUDE [ACCURACY]
                                    degrees, and metres (default: 10)
      register_sensor               --data: an object in Home Assistant's format
      update_sensor_states          --data: an array
      update_registration           sends name, model and versions of this board
      enable_encryption             requests a key if there is none; the agent also
                                    does that, and must be stopped first

    Options:
      --data JSON     The data of the message (see Types); - reads it from standard
                      input.
      --config FILE   The configuration (default: /etc/homeward/homeward.yaml);
                      - reads it from standard input.
      --json          Print one JSON object: the type, the outcome, and the
                      unchanged answer.
      --help          Show this.

    Examples:
      sudo homeward send render_template '{{ states("sun.sun") }}'
      sudo homeward send fire_event harbour_reached --data '{"at": "Oudeschild"}'
      sudo homeward send call_service light.turn_on --data '{"area_id": "bow"}'
      sudo homeward send get_zones --json | jq '.answer[].entity_id'

    """
  }
}

struct SendCommand {
  private let message: WrittenMessage
  private let options: Options

  init(_ options: Options) throws(UsageError) {
    self.options = options
    message = try WrittenMessage(options.words, data: try DataArgument(in: options))
  }

  func run() throws(CommandFailure) -> ExitCode {
    let post = try WebhookPost(of: message.type, try .read(from: options.file))
    let report = try post.send(message)
    writeToTerminal(options.isJSON ? report.json : report.lines, STDOUT_FILENO)
    // On standard error: a script can use the answer alone.
    if !options.isJSON {
      let log = Log()
      if report.code == .success { log.notice(report.words) } else { log.error(report.words) }
    }
    return report.code
  }
}
