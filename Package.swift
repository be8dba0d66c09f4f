// swift-tools-version: 6.2
import PackageDescription

// `swift build` and `swift test` are regular Swift; what ships is compiled as Embedded Swift by
// `deploy/build`, which finds the order of the modules in their imports.

/// Held by every target; the parts that ship also refuse what Embedded Swift cannot express.
let everywhere: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
]
let shipped: [SwiftSetting] =
  everywhere + [
    .treatWarning("EmbeddedRestrictions", as: .error),
    // Embedded Swift demands it anyway; so regular builds show it too.
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
  ]

/// For what works through a thousand simulated days: optimised in a debug build, too, they take half
/// as long.
let optimized: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// For tests that call what only GNU's libc has, such as `posix_openpt`. Nothing else is made with a
/// feature macro: Swift's own module of libc, which comes with Foundation, has none, and libc must
/// have one shape in the programs of those who use the library.
let withGNU: [CSetting] = [.define("_GNU_SOURCE")]

/// Libraries are named at the link step: pkg-config would point a cross build at the host. Where a
/// library of ours needs one it says so, and who uses it need not. libgpiod is linked in, as in what
/// ships; on Debian 12 it lies in this folder (deploy/lib/needs.sh).
func libraries(_ names: String...) -> [LinkerSetting] { names.map { .linkedLibrary($0) } }
let unpacked = LinkerSetting.unsafeFlags(["-L\(Context.packageDirectory)/libgpiod"])
let driverLibraries = [unpacked] + libraries(":libgpiod.a", "gps", "yaml")
let agentLibraries = driverLibraries + libraries("m")

/// The pages that describe the kinds of sources, each beside its driver.
func pages(of kinds: [String]) -> [String] { ["README.md"] + kinds.map { "\($0)/README.md" } }

/// What the practice home serves to a browser.
let pageFiles = [
  "page.html", "page.css", "icon.svg", "page.js", "device.js", "track.js", "sensor.js",
  "elements.js",
]

let package = Package(
  name: "homeward",
  products: [
    .library(
      name: "HomeAssistant",
      targets: [
        "HomeAssistant", "HomeAssistantClient", "HomeAssistantAsync", "Transport", "LinuxIO",
        "Bytes",
      ]),
    .library(name: "HomeAssistantTesting", targets: ["HomeAssistantTesting"]),
    .executable(name: "homeward", targets: ["homeward"]),
    .executable(name: "homeward-relay", targets: ["homeward-relay"]),
    .executable(name: "practice-home", targets: ["practice-home"]),
  ],
  targets: [
    // C shims: nullability and version differences end here.
    .target(name: "CLinux"),
    .systemLibrary(name: "CCurl"),
    .systemLibrary(name: "CSodium"),
    .systemLibrary(name: "CGPIOD"),
    .systemLibrary(name: "CGPS"),
    .systemLibrary(name: "CYAML"),
    .systemLibrary(name: "CText"),

    // Layer 0
    .target(name: "Bytes", dependencies: ["CText"], swiftSettings: shipped),
    // Layer 1
    .target(
      name: "Sensing", dependencies: ["Bytes"], exclude: ["Power/README.md"], swiftSettings: shipped
    ),
    // Layer 2
    .target(
      name: "HomeAssistant", dependencies: ["Bytes", "CSodium"], exclude: ["README.md"],
      swiftSettings: shipped, linkerSettings: libraries("sodium")),
    .target(
      name: "HomeAssistantClient", dependencies: ["Bytes", "HomeAssistant"],
      swiftSettings: shipped),
    // A driver without a network, for tests of what uses the client.
    .target(
      name: "HomeAssistantTesting", dependencies: ["Bytes", "HomeAssistant"],
      swiftSettings: everywhere),
    // The client for programs with tasks.
    .target(
      name: "HomeAssistantAsync",
      dependencies: ["Bytes", "HomeAssistant", "HomeAssistantClient", "LinuxIO", "Transport"],
      swiftSettings: everywhere),
    .target(name: "YAML", dependencies: ["Bytes", "CYAML"], swiftSettings: shipped),
    .target(
      name: "Outbox", dependencies: ["Bytes", "Sensing", "HomeAssistant"],
      swiftSettings: shipped + optimized),
    // Layer 3
    .target(name: "LinuxIO", dependencies: ["Bytes", "CLinux"], swiftSettings: shipped),
    .target(
      name: "Transport", dependencies: ["LinuxIO", "HomeAssistant", "Bytes", "CCurl"],
      swiftSettings: shipped, linkerSettings: libraries("curl")),
    .target(
      name: "Drivers",
      dependencies: ["LinuxIO", "Sensing", "YAML", "Bytes", "CGPIOD", "CGPS", "CLinux"],
      exclude: pages(of: [
        "Anchor", "Battery", "EstimatedBattery", "GPIO", "GPSD", "HardwareMonitor", "IIO",
        "Interface", "Measurement", "OneWire", "Outputs", "Pulses", "System", "TextFile",
        "VEDirect",
      ]),
      swiftSettings: shipped),
    // Layer 4
    .target(
      name: "Board",
      dependencies: [
        "Drivers", "Transport", "LinuxIO", "Outbox", "YAML", "HomeAssistant", "Sensing", "Bytes",
        "CLinux",
      ],
      exclude: ["Configuration/README.md"], swiftSettings: shipped),
    .target(
      name: "Agent",
      dependencies: [
        "Board", "Drivers", "Transport", "LinuxIO", "Outbox", "HomeAssistant", "Sensing", "Bytes",
        "CLinux",
      ],
      swiftSettings: shipped),
    .target(
      name: "Tools",
      dependencies: [
        "Agent", "Board", "Drivers", "Transport", "LinuxIO", "Outbox", "YAML",
        "HomeAssistantClient", "HomeAssistant", "Sensing", "Bytes", "CLinux",
      ],
      swiftSettings: shipped),
    // Layer 5
    .executableTarget(
      name: "homeward", dependencies: ["Tools"], swiftSettings: shipped,
      linkerSettings: agentLibraries),

    // Beside the house: the push relay, for boards that sleep. It runs on a PC or a server.
    .systemLibrary(name: "CSQLite"),
    .systemLibrary(name: "CHiredis"),
    .systemLibrary(name: "CHTTPServer"),
    .target(
      name: "Relay",
      dependencies: [
        "Bytes", "CLinux", "CSodium", "CSQLite", "CHiredis", "CHTTPServer",
      ],
      exclude: ["README.md"], swiftSettings: shipped),
    .executableTarget(
      name: "homeward-relay", dependencies: ["Relay"], swiftSettings: shipped,
      linkerSettings: libraries("sodium", "m")),
    .testTarget(
      name: "RelayTests", dependencies: ["Relay", "Bytes", "CSodium", "TestRun"],
      path: "Tests/Unit/Relay", swiftSettings: everywhere, linkerSettings: libraries("sodium")),

    // The practice home: a stand-in for Home Assistant, for newcomers and fast tests. It is an
    // oracle: what the agent does is held against it, so it has no code of the agent.
    .systemLibrary(name: "CMicroHTTPD", path: "Tests/Support/CMicroHTTPD"),
    .target(
      name: "PracticeHome", dependencies: ["CMicroHTTPD", "CSodium"],
      path: "Tests/PracticeHome/Library",
      // In the code: the program is started from anywhere, and alone.
      resources: pageFiles.map { .embedInCode("Page/\($0)") },
      swiftSettings: everywhere + optimized),
    .executableTarget(
      name: "practice-home", dependencies: ["PracticeHome"], path: "Tests/PracticeHome/Program",
      swiftSettings: everywhere,
      linkerSettings: libraries("microhttpd", "sodium", "m")),

    // Where tests have their files, and what ends the programs that they start.
    .target(
      name: "TestRun", path: "Tests/Support/TestRun", cSettings: withGNU, swiftSettings: everywhere),
    .testTarget(
      name: "BytesTests", dependencies: ["Bytes"], path: "Tests/Unit/Bytes",
      swiftSettings: everywhere),
    // Voyages, and what the track filter makes of them.
    .target(
      name: "TrackTrials", dependencies: ["Sensing", "Bytes"], path: "Tests/System/Tracks/Trials",
      swiftSettings: everywhere),
    .executableTarget(
      name: "tracks", dependencies: ["TrackTrials"], path: "Tests/System/Tracks/Program",
      swiftSettings: everywhere, linkerSettings: libraries("m")),
    .testTarget(
      name: "TrackTests", dependencies: ["Bytes", "Sensing", "TrackTrials"],
      path: "Tests/System/Tracks/Tests", swiftSettings: everywhere),
    // The numbers of the kernel's headers, for what speaks with the kernel without them.
    .systemLibrary(name: "KernelHeaders", path: "Tests/Support/KernelHeaders"),
    .testTarget(
      name: "SensingTests", dependencies: ["Sensing", "TrackTrials", "KernelHeaders"],
      path: "Tests/Unit/Sensing",
      swiftSettings: everywhere),
    // A push relay, for what a board asks of one.
    .target(
      name: "ModelRelay", dependencies: ["Bytes", "CSodium"], path: "Tests/Support/ModelRelay",
      swiftSettings: everywhere),
    // Counts the allocations of a test.
    .target(name: "AllocationCount", path: "Tests/Support/AllocationCount"),
    .testTarget(
      name: "HomeAssistantTests",
      dependencies: [
        "HomeAssistant", "HomeAssistantClient", "HomeAssistantTesting", "CSodium",
        "AllocationCount", "ModelRelay",
      ],
      path: "Tests/Unit/HomeAssistant",
      swiftSettings: everywhere),
    // Loses what was not synchronised when the power goes.
    .target(
      name: "ModelDisk", dependencies: ["Bytes"], path: "Tests/Support/ModelDisk",
      swiftSettings: everywhere + optimized),
    .testTarget(
      name: "OutboxTests",
      dependencies: ["Outbox", "ModelDisk", "ModelRelay", "HomeAssistantTesting"],
      path: "Tests/Unit/Outbox",
      swiftSettings: everywhere),
    .testTarget(
      name: "LinuxIOTests", dependencies: ["LinuxIO", "FailingReads", "TestRun"],
      path: "Tests/Unit/LinuxIO",
      cSettings: withGNU, swiftSettings: everywhere),
    .testTarget(
      name: "TransportTests", dependencies: ["Transport", "CLinux", "TestRun"],
      path: "Tests/Unit/Transport",
      cSettings: withGNU, swiftSettings: everywhere),
    // A kernel's GPIO chips, which take the place of the real ones in the tests.
    .target(name: "FakeGPIO", path: "Tests/Support/FakeGPIO"),
    // A pread(2) that fails, or takes its time, as drivers of the kernel do.
    .target(name: "FailingReads", path: "Tests/Support/FailingReads"),
    // Reads and fsync(2) that wait, in a program that is started with them.
    .target(name: "SlowFiles", path: "Tests/Support/SlowFiles"),
    .testTarget(
      name: "DriversTests", dependencies: ["Drivers", "FailingReads", "FakeGPIO", "TestRun"],
      path: "Tests/Unit/Drivers",
      cSettings: withGNU, swiftSettings: everywhere, linkerSettings: driverLibraries),
    .testTarget(
      name: "BoardTests",
      dependencies: [
        "Board", "YAML", "Drivers", "Transport", "Outbox", "HomeAssistant", "Sensing", "LinuxIO",
        "Bytes", "TestRun",
      ], path: "Tests/Unit/Board",
      swiftSettings: everywhere, linkerSettings: agentLibraries),
    .testTarget(
      name: "ToolsTests",
      dependencies: [
        "Tools", "Board", "Drivers", "Outbox", "HomeAssistant", "Sensing", "LinuxIO", "YAML",
        "Bytes", "TestRun",
      ], path: "Tests/Unit/Tools",
      swiftSettings: everywhere, linkerSettings: agentLibraries),
    .testTarget(
      name: "AgentTests",
      dependencies: ["Agent", "Board", "Tools", "HomeAssistant", "PracticeHome", "TestRun"],
      path: "Tests/Unit/Agent",
      cSettings: withGNU, swiftSettings: everywhere,
      linkerSettings: agentLibraries + libraries("microhttpd")),
    .testTarget(
      name: "PracticeHomeTests", dependencies: ["PracticeHome"], path: "Tests/Unit/PracticeHome",
      swiftSettings: everywhere,
      linkerSettings: libraries("microhttpd", "sodium", "m")),
    // What the README shows of the library, to be run against a home.
    .executableTarget(
      name: "example", dependencies: ["HomeAssistantAsync"], path: "Tests/System/Example",
      exclude: ["Package.swift"], swiftSettings: everywhere),
    .testTarget(
      name: "HomeAssistantAsyncTests",
      dependencies: ["HomeAssistantAsync", "HomeAssistantTesting", "PracticeHome", "TestRun"],
      path: "Tests/Unit/HomeAssistantAsync",
      swiftSettings: everywhere,
      linkerSettings: libraries("microhttpd", "m")),
    // The whole agent in virtual time.
    .testTarget(
      name: "SimulationTests", dependencies: ["Outbox", "PracticeHome", "ModelDisk"],
      path: "Tests/System/Simulation",
      swiftSettings: everywhere + optimized,
      linkerSettings: libraries("microhttpd", "m")),
    .testTarget(
      name: "ContractTests",
      dependencies: [
        "Bytes", "CSodium", "HomeAssistant", "Outbox", "PracticeHome", "Sensing", "TestRun",
      ],
      path: "Tests/System/Contract", exclude: ["run"], cSettings: withGNU,
      swiftSettings: everywhere,
      linkerSettings: libraries("sodium")),
    .executableTarget(
      name: "parity", dependencies: ["Outbox", "HomeAssistantClient", "CLinux"],
      path: "Tests/System/Parity", swiftSettings: shipped, linkerSettings: libraries("m")),
    .executableTarget(
      name: "websocket-echo", dependencies: ["Transport", "CLinux"], path: "Tests/System/Autobahn",
      exclude: ["run"], swiftSettings: shipped, linkerSettings: libraries("m")),
    .executableTarget(
      name: "sealing", dependencies: ["HomeAssistant", "LinuxIO", "CLinux"],
      path: "Tests/System/Benchmarks/Sealing", swiftSettings: shipped,
      linkerSettings: libraries("m")),
    .executableTarget(
      name: "entity-change", dependencies: ["HomeAssistantClient", "HomeAssistant", "CLinux"],
      path: "Tests/System/Benchmarks/EntityChange", swiftSettings: shipped,
      linkerSettings: libraries("m")),
    .executableTarget(
      name: "session-memory", dependencies: ["Transport", "HomeAssistantClient", "CLinux"],
      path: "Tests/System/Benchmarks/SessionMemory", swiftSettings: shipped,
      linkerSettings: libraries("m")),
    // A full spool, for Tests/System/Delivery.
    .executableTarget(
      name: "fill-spool", dependencies: ["Outbox"], path: "Tests/System/Delivery/FillSpool",
      swiftSettings: everywhere, linkerSettings: libraries("m")),
    .executableTarget(
      name: "benchmarks", dependencies: ["EnergyModel"], path: "Tests/System/Benchmarks",
      exclude: [
        "Sealing", "EntityChange", "SessionMemory", "EnergyModel", "heapcount.c", "floor.c", "run",
        "README.md", "Energy/tls-link", "Energy/README.md",
      ],
      swiftSettings: everywhere),
    // What a day of a board takes, computed from what was measured and what is assumed.
    .target(
      name: "EnergyModel", path: "Tests/System/Benchmarks/EnergyModel", swiftSettings: everywhere),
    .testTarget(
      name: "EnergyModelTests", dependencies: ["EnergyModel"], path: "Tests/Unit/EnergyModel",
      swiftSettings: everywhere),
  ]
)
