// swift-tools-version: 6.2
// OpenRealm: the Realm object database, written from scratch in Swift.

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// The settings of the library's modules: each expression that is not memory-safe is marked.
let librarySettings = settings + [.strictMemorySafety()]

/// The cipher of encrypted files. Apple's systems have one of their own.
let cipher: [Target.Dependency] = ["Crypto", "_CryptoExtras"].map { name in
  .product(
    name: name, package: "swift-crypto",
    condition: .when(platforms: [.linux, .android, .windows], traits: ["Encryption"]))
}

/// What the tests of the documentation's examples need; see Tests/DocumentationExamples/README.md.
let exampleDependencies: [Target.Dependency] = [
  "RealmSwift", "RealmSync", "RealmSyncProtocol", "RealmSyncTestSupport", "RealmTestSupport",
]

let package = Package(
  name: "OpenRealm",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "RealmSwift", targets: ["RealmSwift"])
  ],
  traits: [
    .default(enabledTraits: ["Encryption"]),
    .trait(
      name: "Encryption",
      description: "Encrypted files. Without it, systems other than Apple's need no swift-crypto."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-crypto.git", "3.12.3"..<"5.0.0"),
  ],
  targets: [
    .target(name: "CRealmPlatform"),
    .target(
      name: "RealmSyncProtocol", swiftSettings: librarySettings),
    .target(
      name: "RealmStorage", dependencies: ["CRealmPlatform"] + cipher,
      swiftSettings: librarySettings),
    .target(name: "RealmTables", dependencies: ["RealmStorage"], swiftSettings: librarySettings),
    .target(
      name: "RealmReplication",
      dependencies: ["RealmSyncProtocol", "RealmTables", "RealmStorage"],
      swiftSettings: librarySettings),
    .target(
      name: "RealmSync",
      dependencies: ["RealmReplication", "RealmSyncProtocol", "RealmTables", "RealmStorage"],
      swiftSettings: librarySettings),
    .target(
      name: "RealmQuery", dependencies: ["RealmTables", "RealmStorage", "CRealmPlatform"],
      swiftSettings: librarySettings),
    .target(
      name: "RealmServerEngine",
      dependencies: [
        "RealmReplication", "RealmSyncProtocol", "RealmQuery", "RealmTables", "RealmStorage",
      ],
      swiftSettings: librarySettings),
    .target(
      name: "RealmSession",
      dependencies: ["RealmQuery", "RealmTables", "RealmStorage", "CRealmPlatform"],
      swiftSettings: librarySettings),
    .target(
      name: "RealmSwift",
      dependencies: [
        "RealmSession", "RealmSync", "RealmQuery", "RealmTables", "RealmStorage",
        "CRealmPlatform",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: librarySettings),
    .executableTarget(
      name: "realm-cities",
      dependencies: ["RealmSwift"],
      path: "Examples/RealmCities",
      exclude: ["DATA.md"],
      resources: [.copy("Data")],
      swiftSettings: settings),
    .executableTarget(
      name: "realm-actors",
      dependencies: ["RealmSwift"],
      path: "Examples/RealmActors",
      swiftSettings: settings),
    .executableTarget(
      name: "realm-diary",
      dependencies: ["RealmSwift"],
      path: "Examples/RealmDiary",
      swiftSettings: settings),
    .executableTarget(
      name: "realm-todos",
      dependencies: ["RealmSwift"],
      path: "Examples/RealmTodos",
      swiftSettings: settings),
    .executableTarget(
      name: "realm-two-devices",
      dependencies: [
        "RealmSyncTestSupport", "RealmReplication", "RealmSyncProtocol", "RealmTables",
      ],
      path: "Examples/RealmTwoDevices",
      swiftSettings: settings),
    .executableTarget(
      name: "realm-sync",
      dependencies: [
        "RealmSync", "RealmReplication", "RealmSyncProtocol", "RealmTables", "RealmStorage",
      ],
      path: "Benchmarks/Sources/realm-sync",
      swiftSettings: settings),
    .executableTarget(
      name: "realm-second-process",
      dependencies: ["RealmSwift"],
      path: "Tests/SecondProcess",
      swiftSettings: settings),
    .target(
      name: "RealmTestSupport",
      dependencies: ["RealmStorage", "RealmTables"],
      swiftSettings: settings),
    .target(
      name: "RealmSyncTestSupport",
      dependencies: [
        "RealmSync", "RealmServerEngine", "RealmReplication", "RealmSyncProtocol", "RealmTables",
        "RealmStorage", "RealmTestSupport",
      ],
      swiftSettings: settings),
    .target(name: "AllocationCounter", path: "Tests/AllocationCounter"),
    .testTarget(
      name: "RealmSyncProtocolTests",
      dependencies: ["RealmSyncProtocol", "RealmTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "RealmStorageTests",
      dependencies: ["RealmStorage", "RealmTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "RealmTablesTests",
      dependencies: ["RealmTables", "RealmStorage", "RealmTestSupport"],
      resources: [.copy("Fixtures")],
      swiftSettings: settings),
    .testTarget(
      name: "RealmReplicationTests",
      dependencies: [
        "RealmReplication", "RealmSyncProtocol", "RealmTables", "RealmStorage", "RealmTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RealmSyncTests",
      dependencies: [
        "RealmSync", "RealmServerEngine", "RealmReplication", "RealmSyncProtocol", "RealmTables",
        "RealmStorage", "RealmSyncTestSupport", "RealmTestSupport", "realm-two-devices",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RealmServerEngineTests",
      dependencies: [
        "RealmServerEngine", "RealmReplication", "RealmSyncProtocol", "RealmQuery", "RealmTables",
        "RealmStorage", "RealmSyncTestSupport", "RealmTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RealmQueryTests",
      dependencies: ["RealmQuery", "RealmTables", "RealmStorage", "RealmTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "RealmSessionTests",
      dependencies: [
        "RealmSession", "RealmQuery", "RealmTables", "RealmStorage", "RealmTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RealmSwiftTests",
      dependencies: [
        "RealmSwift", "RealmSession", "RealmSync", "RealmReplication", "RealmSyncProtocol",
        "RealmQuery", "RealmTables", "RealmStorage", "RealmTestSupport", "realm-second-process",
        "RealmSyncTestSupport", "AllocationCounter",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "DocumentationExamplesSwift6",
      dependencies: exampleDependencies,
      path: "Tests/DocumentationExamples/Swift6",
      swiftSettings: [.swiftLanguageMode(.v6), .define("EDITED")]),
    .testTarget(
      name: "DocumentationExamplesMainActor",
      dependencies: exampleDependencies,
      path: "Tests/DocumentationExamples/MainActor",
      swiftSettings: [
        .swiftLanguageMode(.v6), .defaultIsolation(MainActor.self), .define("EDITED"),
      ]),
    .testTarget(
      name: "DocumentationExamplesComplete",
      dependencies: exampleDependencies,
      path: "Tests/DocumentationExamples/Complete",
      swiftSettings: [
        .swiftLanguageMode(.v5), .enableUpcomingFeature("StrictConcurrency"), .define("EDITED"),
      ]),
    .testTarget(
      name: "DocumentationExamplesSwift5",
      dependencies: exampleDependencies,
      path: "Tests/DocumentationExamples/Swift5",
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(name: "StyleTests", swiftSettings: settings),
  ]
)
