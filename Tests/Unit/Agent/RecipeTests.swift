import Foundation
import PracticeHome
import Testing

extension SetUp {
  /// The README's recipes, each as it stands, on a board that has what they name.
  @Suite struct Recipes {}
}

/// A recipe, by a word in it, and what the board says of its sensors while each line is low.
struct Recipe: Sendable, CustomTestStringConvertible {
  let device: String
  let rows: [String]
  var testDescription: String { device }

  /// The block of the README that names the device.
  func text() throws -> String {
    let readme = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../README.md")
    let blocks = try String(contentsOf: readme, encoding: .utf8)
      .components(separatedBy: "```yaml\n").dropFirst()
      .compactMap { $0.components(separatedBy: "\n```").first }
    return try #require(blocks.first { $0.contains("device: { name: \(device) }") })
  }
}

extension SetUp.Recipes {
  static let recipes = [
    // The float switch is closed: there is water.
    Recipe(device: "Boat", rows: ["GPIO17: Bilge on"]),
    // The reed is closed, and so is the door.
    Recipe(device: "Van", rows: ["GPIO27: Door off", "BAT7: capacity 83 %"]),
    Recipe(
      device: "Garden",
      rows: ["GPIO22: Gate off", "28-0316a2796cff: Soil 21.3 °C", "GPIO27: Rain 0 mm"]),
  ]

  @Test(arguments: recipes)
  func isWellForCheck(_ recipe: Recipe) async throws {
    let world = try await FaultyWorld()
    let board = world.board
    try world.preloadChip(
      "/dev/gpiochip0 a GPIO17 17;/dev/gpiochip1 b GPIO22 22;/dev/gpiochip2 c GPIO27 27")
    try board.write("21312\n", to: "sys/bus/w1/devices/28-0316a2796cff/temperature")
    let own = try board.configurationText().split(separator: "\n").filter {
      $0.hasPrefix("state_directory") || $0.hasPrefix("host")
    }
    let gpsd = FakeGPSD(reporting: TPV())
    board.keepSecret("52.37")
    var text = try recipe.text()
    let address = try #require(text.firstMatch(of: /url: (https?:[a-z0-9.:\/]+)/)?.1)
    text.replace(address, with: world.home.url, maxReplacements: 1)
    // The van's own address has TLS.
    text.replace("home_network:", with: "plain_http_away: true\n  home_network:")
    text.replace("source: gpsd", with: "source: gpsd, port: \(gpsd.port)")
    try board.write("\(text)\n\(own.joined(separator: "\n"))\n", to: "homeward.yaml")

    let check = try await world.homeward(["check"])
    #expect(check.status == 0, "\(check.output) \(check.log)")
    #expect(check.output.last == "Nothing is wrong.", "\(check.output)")
    for row in recipe.rows {
      #expect(check.output.contains("ok     source         \(row)"), "\(row): \(check.output)")
    }
  }
}
