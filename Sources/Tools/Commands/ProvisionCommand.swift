import Board
import Bytes
import CLinux
import LinuxIO

extension Command {
  static var provision: Command {
    Command(
      name: "provision", summary: "set up this board from homeward.yaml of its card",
      help: provisionHelp,
      success: "the file is right and applied; with --seal: restart the board",
      codes: [.noInput, .unavailable, .cannotCreate, .inputOutput, .configuration],
      options: [("--card", "a folder"), ("--root", "a folder"), ("--seal", nil)]
    ) { (options: Options) throws(UsageError) -> Task in
      if let wrong = options.first(of: ["--config", "--json"]) {
        throw .mistake("\(wrong) does not work with provision")
      }
      let card = Path(options["--card"] ?? [UInt8]("/boot/firmware"))
      let provisioner = Provisioner(card: card, root: Path(options["--root"] ?? [UInt8]("/")))
      return { () throws(CommandFailure) in
        guard !options.has("--seal") else {
          try provisioner.seal()
          Log().notice("the root is read-only from the next start on")
          return .success
        }
        let report = try provisioner.provision()
        writeToTerminal(report.text, report.code == .success ? STDOUT_FILENO : STDERR_FILENO)
        return report.code
      }
    }
  }

  private static var provisionHelp: StaticString {
    """
    homeward provision: sets up this board from homeward.yaml of its card, a file that
    a person edits on a PC. The card image runs it at each start, before the network.

    The file is the configuration of the agent with one more section at its margin:

      card:
        country: DE
        wifi: { name: Harbour, password: "correct horse" }
        hostname: boat
        ssh_key: ssh-ed25519 AAAA... me@pc
        token: eyJ...

    wifi            One network, or a list of them, the preferred one first. Without
                    password it is an open network; hidden: true is for one whose
                    access point does not announce it.
    country         Two letters: the channels of Wi-Fi that are allowed there.
    hostname        The board answers to it, and with .local behind it.
    ssh_key         One key, or a list of them, of those who may log in as root.
    token           A long-lived access token of Home Assistant. When the board is
                    paired, it is erased from the card.
    read_only       false: the root stays writable. Otherwise it is read-only when
                    the board is paired, and a loss of power cannot damage it.

    Each setting is applied on its own: what is wrong stays as it was, and what is
    no longer in the section is removed. Without the section nothing of it changes.
    homeward-report.txt, beside the file, lists the mistakes with their lines.

    Usage:
      homeward provision [--card DIR] [--root DIR]
      homeward provision --seal [--card DIR]

    Options:
      --card DIR   The folder of the file, of the report, and of cmdline.txt
                   (default: /boot/firmware).
      --root DIR   Write below this folder, such as the root of an image (default: /).
      --seal       Make the root read-only from the next start on, if this board is
                   paired and read_only is not false. Otherwise the exit code is
                   another one: 69 if the board is not paired, 73 if there is
                   nothing to do.
      --help       Show this.

    Examples:
      sudo homeward provision
      homeward provision --card /media/card --root /mnt/image
      sudo homeward provision --seal && sudo systemctl reboot

    """
  }
}
