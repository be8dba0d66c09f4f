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
    homeward provision: sets up this board from homeward.yaml of its card, a file
    that a person edits on a PC. The card image runs it at each start, before the
    network.

    The file is the configuration of the agent, with one more section at its margin:

      card:
        country: DE
        wifi: { name: Harbour, password: "correct horse" }
        hostname: boat
        ssh_key: ssh-ed25519 AAAA... me@pc
        token: eyJ...

    Keys of the section:
      country      Two letters: Wi-Fi uses the channels that are allowed there.
      wifi         One network, or a list of them, the preferred one first. One
                   without password is open; hidden: true is for one whose access
                   point does not announce it.
      hostname     Name of the board; the network adds .local to it.
      ssh_key      One public key, or a list of them, of those who log in as root.
      token        A long-lived access token of Home Assistant. It is erased from
                   the card when the board is paired.
      read_only    With false the root stays writable. Otherwise it is read-only
                   when the board is paired: a loss of power cannot damage it.

    Each setting is applied on its own: a wrong one leaves the board as it was (with
    a read-only root: as it was when the root became read-only), and networks and
    keys that are no longer there are removed. Without the section nothing of it
    changes. homeward-card.txt, beside the file, lists the mistakes with their
    lines.

    Usage:
      homeward provision [--card DIR] [--root DIR]
      homeward provision --seal [--card DIR]

    Options:
      --card DIR   The folder of the file, of the report, and of cmdline.txt
                   (default: /boot/firmware).
      --root DIR   Write below this folder, such as the root of an image
                   (default: /).
      --seal       Make the root read-only from the next start on, if this board is
                   paired and read_only is not false, and erase the token from
                   the card. The exit code is 69 if the board is not paired, 73 if
                   the root is read-only already, read_only is false, or the system
                   is not that of a card image, 66 if there is no file, 78 if the
                   file has mistakes, and 74 if the token cannot be erased or
                   cmdline.txt cannot be changed.
      --help       Show this.

    Examples:
      sudo homeward provision
      homeward provision --card /media/card --root /mnt/image
      sudo homeward provision --seal && sudo systemctl reboot

    """
  }
}
