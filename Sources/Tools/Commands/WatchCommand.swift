import Board
import Bytes
import HomeAssistant

extension Command {
  static var watch: Command {
    Command(
      name: "watch", summary: "show states, events or a template, as they change",
      help: watchHelp, success: "stopped by Ctrl-C, by --count or --once, or by a closed pipe",
      codes: [
        .dataError, .noInput, .unavailable, .temporaryFailure, .noPermission, .configuration,
      ],
      options: [
        DataArgument.option, ("--attributes", nil), ("--once", nil),
        ("--count", "a number of entries"),
      ],
      wordsMax: .max
    ) { (options: Options) throws(UsageError) -> Task in
      let options = try WatchOptions(options)
      return { () throws(CommandFailure) in try Watch(options).run() }
    }
  }

  private static var watchHelp: StaticString {
    """
    homeward watch: shows what happens in Home Assistant, until Ctrl-C. It uses the
    login that pair stored, or the token file of the configuration. After a lost
    connection it connects again.

    Usage:
      homeward watch [states] [ENTITY...] [--attributes]
      homeward watch events [TYPE]
      homeward watch template TEMPLATE [--data JSON]

    states shows the current states of the named entities, or of all, and then each
    change; events shows the events on Home Assistant's bus; template shows the
    result of a template, now and after each change.

    Options:
      --attributes    Show changes of attributes, too, with their names.
      --data JSON     The variables of the template; - reads them from standard
                      input.
      --count N       Exit after N states, events or renderings; with --json, after
                      N lines.
      --once          Exit after the current states of all entities, or after one
                      event or rendering. If an entity does not exist, watch reports
                      this, and the exit code is 65.
      --config FILE   The configuration (default: /etc/homeward/homeward.yaml);
                      - reads it from standard input.
      --json          Print Home Assistant's messages unchanged, a JSON object on
                      each line. Those of states are in its short form; homeward
                      watch events state_changed prints the long form.
      --help          Show this.

    Examples:
      sudo homeward watch sun.sun --attributes
      sudo homeward watch events tag_scanned
      sudo homeward watch template '{{ states.light | list | count }}'
      sudo homeward watch sensor.boat_battery sensor.boat_load --once
      sudo homeward watch events --json | jq .event_type

    """
  }
}
