// swift-tools-version: 6.2
import PackageDescription

// The mode is not written here. `swift build` and `swift test` are regular Swift; what ships is
// built as Embedded Swift by `deploy/build`, with a toolset (native) or a Swift SDK (cross).

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

/// For tests that call what only GNU's libc has, such as `posix_openpt`. Nothing else is made with a
/// feature macro: Swift's own module of libc, which comes with Foundation, has none, and libc must
/// have one shape in the programs of those who use the library.
let withGNU: [CSetting] = [.define("_GNU_SOURCE")]

/// Libraries are named at the link step: pkg-config would point a cross build at the host. Where a
/// library of ours needs one it says so, and who uses it need not.
func libraries(_ names: String...) -> [LinkerSetting] { names.map { .linkedLibrary($0) } }
let agentLibraries = libraries("gps", "yaml", "m")

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
      targets: ["HomeAssistant", "HomeAssistantAsync", "Transport", "LinuxIO", "Bytes"]),
    .library(name: "HomeAssistantTesting", targets: ["HomeAssistantTesting"]),
    .executable(name: "homeward", targets: ["homeward"]),
    .executable(name: "practice-home", targets: ["practice-home"]),
  ],
  targets: [
    // C shims: nullability and version differences end here.
    .target(name: "CLinux"),
    .systemLibrary(name: "CCurl"),
    .systemLibrary(name: "CSodium"),
    .systemLibrary(name: "CGPIO"),
    .systemLibrary(name: "CGPS"),
    .systemLibrary(name: "CYAML"),
    .systemLibrary(name: "CNumber"),

    // Layer 0
    .target(name: "Bytes", dependencies: ["CNumber"], swiftSettings: shipped),
    // Layer 1
    .target(
      name: "Sensing", dependencies: ["Bytes"], exclude: ["Power/README.md"], swiftSettings: shipped
    ),
    // Layer 2
    .target(
      name: "HomeAssistant", dependencies: ["Bytes", "CSodium"], exclude: ["README.md"],
      swiftSettings: shipped, linkerSettings: libraries("sodium")),
    // A driver without a network, for tests of what uses the client.
    .target(
      name: "HomeAssistantTesting", dependencies: ["Bytes", "HomeAssistant"],
      swiftSettings: everywhere),
    // The client for programs with tasks.
    .target(
      name: "HomeAssistantAsync",
      dependencies: ["Bytes", "HomeAssistant", "LinuxIO", "Transport"],
      swiftSettings: everywhere),
    .target(name: "YAML", dependencies: ["Bytes", "CYAML"], swiftSettings: shipped),
    .target(
      name: "Outbox", dependencies: ["Bytes", "Sensing", "HomeAssistant"],
      swiftSettings: shipped),
    // Layer 3
    .target(name: "LinuxIO", dependencies: ["Bytes", "CLinux"], swiftSettings: shipped),
    .target(
      name: "Transport", dependencies: ["LinuxIO", "HomeAssistant", "Bytes", "CCurl"],
      swiftSettings: shipped, linkerSettings: libraries("curl")),
    .target(
      name: "Drivers",
      dependencies: ["LinuxIO", "Sensing", "YAML", "Bytes", "CGPIO", "CGPS", "CLinux"],
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
        "Agent", "Board", "Drivers", "Transport", "LinuxIO", "Outbox", "YAML", "HomeAssistant",
        "Sensing", "Bytes", "CLinux",
      ],
      swiftSettings: shipped),
    // Layer 5
    .executableTarget(
      name: "homeward", dependencies: ["Tools"], swiftSettings: shipped,
      linkerSettings: agentLibraries),

    // The practice home: a stand-in for Home Assistant, for newcomers and fast tests. It is an
    // oracle: what the agent does is held against it, so it has no code of the agent.
    .systemLibrary(name: "CMicroHTTPD", path: "Tests/CMicroHTTPD"),
    .target(
      name: "PracticeHome", dependencies: ["CMicroHTTPD", "CSodium"], path: "Tests/PracticeHome",
      // In the code: the program is started from anywhere, and alone.
      resources: pageFiles.map { .embedInCode("Page/\($0)") },
      // A thousand simulated days are mostly its work.
      swiftSettings: everywhere + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
    .executableTarget(
      name: "practice-home", dependencies: ["PracticeHome"], path: "Tests/practice-home",
      swiftSettings: everywhere,
      linkerSettings: libraries("microhttpd", "sodium", "m")),

    // Where tests have their files, and what ends the programs that they start.
    .target(
      name: "TestRun", path: "Tests/TestRun", cSettings: withGNU, swiftSettings: everywhere),
    .testTarget(
      name: "BytesTests", dependencies: ["Bytes"],
      swiftSettings: everywhere),
    // Voyages, and what the track filter makes of them.
    .target(
      name: "TrackTrials", dependencies: ["Sensing", "Bytes"], path: "Tests/Tracks/Trials",
      swiftSettings: everywhere),
    .executableTarget(
      name: "tracks", dependencies: ["TrackTrials"], path: "Tests/Tracks/Program",
      swiftSettings: everywhere, linkerSettings: libraries("m")),
    .testTarget(
      name: "TrackTests", dependencies: ["Bytes", "Sensing", "TrackTrials"],
      path: "Tests/Tracks/Tests", swiftSettings: everywhere),
    // The numbers of the kernel's headers, for what speaks with the kernel without them.
    .systemLibrary(name: "KernelHeaders", path: "Tests/KernelHeaders"),
    .testTarget(
      name: "SensingTests", dependencies: ["Sensing", "TrackTrials", "KernelHeaders"],
      swiftSettings: everywhere),
    // Counts the allocations of a test.
    .target(name: "AllocationCount", path: "Tests/AllocationCount"),
    .testTarget(
      name: "HomeAssistantTests",
      dependencies: ["HomeAssistant", "HomeAssistantTesting", "CSodium", "AllocationCount"],
      swiftSettings: everywhere),
    // Loses what was not synchronised when the power goes.
    .target(
      name: "ModelDisk", dependencies: ["Bytes"], path: "Tests/ModelDisk",
      swiftSettings: everywhere),
    .testTarget(
      name: "OutboxTests", dependencies: ["Outbox", "ModelDisk", "HomeAssistantTesting"],
      swiftSettings: everywhere),
    .testTarget(
      name: "LinuxIOTests", dependencies: ["LinuxIO", "FailingReads", "TestRun"],
      cSettings: withGNU, swiftSettings: everywhere),
    .testTarget(
      name: "TransportTests", dependencies: ["Transport", "CLinux", "TestRun"],
      cSettings: withGNU, swiftSettings: everywhere),
    // A kernel's GPIO chips, which take the place of the real ones in the tests.
    .target(name: "FakeGPIO", path: "Tests/FakeGPIO"),
    // A pread(2) that fails, or takes its time, as drivers of the kernel do.
    .target(name: "FailingReads", path: "Tests/FailingReads"),
    // Reads and fsync(2) that wait, in a program that is started with them.
    .target(name: "SlowFiles", path: "Tests/SlowFiles"),
    .testTarget(
      name: "DriversTests", dependencies: ["Drivers", "FailingReads", "FakeGPIO", "TestRun"],
      cSettings: withGNU, swiftSettings: everywhere, linkerSettings: libraries("gps", "yaml")),
    .testTarget(
      name: "BoardTests",
      dependencies: [
        "Board", "YAML", "Drivers", "Transport", "Outbox", "HomeAssistant", "Sensing", "LinuxIO",
        "Bytes", "TestRun",
      ],
      swiftSettings: everywhere, linkerSettings: agentLibraries),
    .testTarget(
      name: "ToolsTests",
      dependencies: [
        "Tools", "Board", "Drivers", "Outbox", "HomeAssistant", "Sensing", "LinuxIO", "YAML",
        "Bytes", "TestRun",
      ],
      swiftSettings: everywhere, linkerSettings: agentLibraries),
    .testTarget(
      name: "AgentTests",
      dependencies: ["Agent", "Board", "Tools", "HomeAssistant", "PracticeHome", "TestRun"],
      cSettings: withGNU, swiftSettings: everywhere,
      linkerSettings: agentLibraries + libraries("microhttpd")),
    .testTarget(
      name: "PracticeHomeTests", dependencies: ["PracticeHome"],
      swiftSettings: everywhere,
      linkerSettings: libraries("microhttpd", "sodium", "m")),
    // What the README shows of the library, to be run against a home.
    .executableTarget(
      name: "example", dependencies: ["HomeAssistantAsync"], path: "Tests/Example",
      exclude: ["Package.swift"], swiftSettings: everywhere),
    .testTarget(
      name: "HomeAssistantAsyncTests",
      dependencies: ["HomeAssistantAsync", "HomeAssistantTesting", "PracticeHome", "TestRun"],
      swiftSettings: everywhere,
      linkerSettings: libraries("microhttpd", "m")),
    // The whole agent in virtual time.
    .testTarget(
      name: "SimulationTests", dependencies: ["Outbox", "PracticeHome", "ModelDisk"],
      swiftSettings: everywhere,
      linkerSettings: libraries("microhttpd", "m")),
    .testTarget(
      name: "ContractTests",
      dependencies: ["CSodium", "Outbox", "PracticeHome", "Sensing", "TestRun"],
      path: "Tests/Contract", exclude: ["run"], cSettings: withGNU, swiftSettings: everywhere,
      linkerSettings: libraries("sodium")),
    .executableTarget(
      name: "parity", dependencies: ["Outbox", "CLinux"], path: "Tests/Parity",
      swiftSettings: shipped, linkerSettings: libraries("m")),
    .executableTarget(
      name: "websocket-echo", dependencies: ["Transport", "CLinux"], path: "Tests/Autobahn",
      exclude: ["run"], swiftSettings: shipped, linkerSettings: libraries("m")),
    .executableTarget(
      name: "sealing", dependencies: ["HomeAssistant", "LinuxIO", "CLinux"],
      path: "Tests/Benchmarks/Sealing", swiftSettings: shipped,
      linkerSettings: libraries("m")),
    .executableTarget(
      name: "entity-change", dependencies: ["HomeAssistant", "CLinux"],
      path: "Tests/Benchmarks/EntityChange", swiftSettings: shipped,
      linkerSettings: libraries("m")),
    .executableTarget(
      name: "session-memory", dependencies: ["Transport", "CLinux"],
      path: "Tests/Benchmarks/SessionMemory", swiftSettings: shipped,
      linkerSettings: libraries("m")),
    // A full spool, for Tests/Delivery.
    .executableTarget(
      name: "fill-spool", dependencies: ["Outbox"], path: "Tests/Delivery/FillSpool",
      swiftSettings: everywhere, linkerSettings: libraries("m")),
    .executableTarget(
      name: "benchmarks", dependencies: ["EnergyModel"], path: "Tests/Benchmarks",
      exclude: [
        "Sealing", "EntityChange", "SessionMemory", "EnergyModel", "heapcount.c", "floor.c", "run",
        "README.md", "Energy/tls-link", "Energy/README.md",
      ],
      swiftSettings: everywhere),
    // What a day of a board takes, computed from what was measured and what is assumed.
    .target(
      name: "EnergyModel", path: "Tests/Benchmarks/EnergyModel", swiftSettings: everywhere),
    .testTarget(
      name: "EnergyModelTests", dependencies: ["EnergyModel"], swiftSettings: everywhere),
  ]
)
