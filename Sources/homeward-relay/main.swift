import Glibc
import Relay

exit(HomewardRelay.main(Array(CommandLine.arguments.dropFirst())))
