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

/// The cipher of encrypted files for programs that run where the system has no libcrypto.
let cipher: [Target.Dependency] = ["Crypto", "_CryptoExtras"].map { name in
  .product(
    name: name, package: "swift-crypto",
    condition: .when(platforms: [.linux, .android, .windows], traits: ["Encryption"]))
}

/// What the tests of the documentation's examples need; see Tests/DocumentationExamples/README.md.
let exampleDependencies: [Target.Dependency] = [
  "RealmSwift", "RealmSync", "RealmSyncProtocol", "RealmSyncTestSupport", "RealmTestSupport",
]

/// Products of a package that is needed with a trait alone, so that nothing else fetches it.
func products(_ names: String..., of package: String, with trait: String) -> [Target.Dependency] {
  names.map { .product(name: $0, package: package, condition: .when(traits: [trait])) }
}

/// Modules that are needed with a trait alone, so that nothing else compiles them.
func modules(_ names: String..., with trait: String) -> [Target.Dependency] {
  names.map { .target(name: $0, condition: .when(traits: [trait])) }
}

/// The packages of the client's network.
let networkProducts =
  products(
    "NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket", "NIOConcurrencyHelpers", of: "swift-nio",
    with: "Sync")
  + products("NIOSSL", of: "swift-nio-ssl", with: "Sync")
  + products("AsyncHTTPClient", of: "async-http-client", with: "Sync")

/// The packages of what programs show in the browser: Studio, and the server's page.
let pageProducts: [Target.Dependency] = [
  ("HTTPTypes", "swift-http-types"), ("HummingbirdCore", "hummingbird"), ("NIOCore", "swift-nio"),
].map { name, package in
  .product(name: name, package: package, condition: .when(traits: ["Tools", "Server"]))
}

/// The packages of Studio, the page in the browser.
let studioProducts =
  products("NIOCore", "NIOPosix", of: "swift-nio", with: "Tools")
  + products("HummingbirdCore", of: "hummingbird", with: "Tools")
  + products("ServiceLifecycle", "UnixSignals", of: "swift-service-lifecycle", with: "Tools")
  + products("Logging", of: "swift-log", with: "Tools")

/// The packages of the server, beside those of the network.
let serverProducts =
  products("NIOHTTPTypes", "NIOHTTPTypesHTTP1", of: "swift-nio-extras", with: "Server")
  + products("HTTPTypes", of: "swift-http-types", with: "Server")
  + products("HummingbirdCore", "HummingbirdTLS", of: "hummingbird", with: "Server")
  + products("ServiceLifecycle", of: "swift-service-lifecycle", with: "Server")
  + products("Metrics", "CoreMetrics", of: "swift-metrics", with: "Server")
  + products("Tracing", of: "swift-distributed-tracing", with: "Server")
  + products("Logging", of: "swift-log", with: "Server")
  + products("Crypto", "_CryptoExtras", of: "swift-crypto", with: "Server")

/// The packages of the program realm-server.
let serverCommandProducts =
  products("ArgumentParser", of: "swift-argument-parser", with: "Server")
  + products("ServiceLifecycle", "UnixSignals", of: "swift-service-lifecycle", with: "Server")
  + products("Metrics", of: "swift-metrics", with: "Server")
  + products("Logging", of: "swift-log", with: "Server")

/// What passes measurements on to a program's metrics and traces.
let metricsProducts =
  products("CoreMetrics", of: "swift-metrics", with: "Metrics")
  + products("Tracing", of: "swift-distributed-tracing", with: "Metrics")

/// The packages of the command line.
let toolProducts =
  products("ArgumentParser", of: "swift-argument-parser", with: "Tools")

/// What stands for Combine on systems that have none.
let openCombine: [Target.Dependency] = ["OpenCombine", "OpenCombineDispatch"].map { name in
  .product(
    name: name, package: "OpenCombine",
    condition: .when(platforms: [.linux, .android, .windows], traits: ["OpenCombine"]))
}

let package = Package(
  name: "OpenRealm",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "RealmSwift", targets: ["RealmSwift"]),
    .library(name: "RealmMetrics", targets: ["RealmMetrics"]),
    .library(name: "RealmServerKit", targets: ["RealmServerKit"]),
    .executable(name: "realm-server", targets: ["RealmServer"]),
    .executable(name: "realm", targets: ["RealmCommand"]),
  ],
  traits: [
    // Manifests and command lines name the default traits, so there is such a list.
    .default(enabledTraits: []),
    .trait(
      name: "Encryption",
      description: "Encrypted files where the system's libcrypto cannot be loaded: swift-crypto."),
    .trait(
      name: "Metrics", description: "The product RealmMetrics: metrics and traces of commits."),
    .trait(
      name: "Tools", description: "The command line, Studio, and the example of a web service.",
      enabledTraits: ["Metrics"]),
    .trait(name: "Sync", description: "Device sync and app services."),
    .trait(
      name: "Server", description: "The product RealmServerKit and the program realm-server.",
      enabledTraits: ["Sync"]),
    .trait(
      name: "Postgres",
      description: "Realms of a server in PostgreSQL; its libpq is loaded when it is used.",
      enabledTraits: ["Server"]),
    .trait(
      name: "OpenCombine",
      description: "Publishers by OpenCombine, on systems that have no Combine."),
  ],
  dependencies: [
    // No lower bound admits a version of Scripts/advisories.txt.
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
    // With the traits Encryption, Sync, Server, Metrics and Tools alone:
    .package(url: "https://github.com/apple/swift-crypto.git", "4.5.1"..<"5.0.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.2"),
    .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.34.1"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.7.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.6.0"),
    .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
    .package(
      url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.8.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0"),
    // With the trait OpenCombine alone; the last, so that a build without it fetches nothing.
    .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
  ],
  targets: [
    .target(name: "CRealmPlatform"),
    .plugin(name: "PackageInventory", capability: .buildTool()),
    .plugin(name: "StudioPage", capability: .buildTool()),
    .target(
      name: "RealmInventory", swiftSettings: librarySettings, plugins: ["PackageInventory"]),
    .target(name: "RealmText", swiftSettings: librarySettings),
    .target(name: "RealmFormats", dependencies: ["RealmText"], swiftSettings: librarySettings),
    .target(
      name: "RealmSyncProtocol", dependencies: ["RealmFormats", "RealmText"],
      swiftSettings: librarySettings),
    .target(
      name: "RealmStorage", dependencies: ["CRealmPlatform"] + cipher,
      swiftSettings: librarySettings),
    .target(name: "RealmTables", dependencies: ["RealmStorage"], swiftSettings: librarySettings),
    .target(
      name: "RealmReplication",
      dependencies: [
        "RealmFormats", "RealmText", "RealmSyncProtocol", "RealmTables", "RealmStorage",
      ],
      swiftSettings: librarySettings),
    .target(
      name: "RealmSync",
      dependencies: [
        "RealmFormats", "RealmText", "RealmReplication", "RealmSyncProtocol", "RealmTables",
        "RealmStorage",
      ],
      swiftSettings: librarySettings),
    .target(
      name: "RealmQuery",
      dependencies: ["RealmText", "RealmTables", "RealmStorage", "CRealmPlatform"],
      swiftSettings: librarySettings),
    .target(
      name: "RealmDeclarations", dependencies: ["RealmFormats", "RealmQuery", "RealmTables"],
      swiftSettings: librarySettings),
    .target(
      name: "RealmServerEngine",
      dependencies: [
        "RealmDeclarations", "RealmFormats", "RealmText", "RealmReplication", "RealmSyncProtocol",
        "RealmQuery",
        "RealmTables", "RealmStorage",
      ],
      swiftSettings: librarySettings),
    .target(
      name: "RealmServerServices",
      dependencies: [
        "RealmServerEngine", "RealmDeclarations", "RealmFormats", "RealmText", "RealmReplication",
        "RealmSyncProtocol", "RealmQuery", "RealmTables", "RealmStorage",
      ],
      swiftSettings: librarySettings),
    .target(
      name: "RealmServerPostgres",
      dependencies: modules(
        "RealmDeclarations", "RealmServerEngine", "RealmReplication", "RealmSyncProtocol",
        "RealmTables", "RealmStorage", with: "Postgres"),
      swiftSettings: librarySettings),
    .target(
      name: "RealmSession",
      dependencies: ["RealmQuery", "RealmTables", "RealmStorage", "CRealmPlatform"],
      swiftSettings: librarySettings),
    .target(
      name: "RealmSalvage", dependencies: ["RealmTables", "RealmStorage"],
      swiftSettings: librarySettings),
    .target(
      name: "RealmSwift",
      dependencies: [
        "RealmSession", "RealmSalvage", "RealmQuery", "RealmTables", "RealmStorage",
        "CRealmPlatform", .product(name: "Logging", package: "swift-log"),
      ]
        + modules(
          "RealmFormats", "RealmText", "RealmSync", "RealmSyncProtocol", "RealmNetworking",
          with: "Sync")
        + openCombine,
      swiftSettings: librarySettings),
    .target(
      name: "RealmNetworking",
      dependencies: ["RealmFormats", "RealmText", "RealmSyncProtocol"] + networkProducts,
      swiftSettings: librarySettings),
    .target(
      name: "RealmMetrics", dependencies: ["RealmSwift"] + metricsProducts,
      swiftSettings: librarySettings),
    .target(
      name: "RealmPages", dependencies: ["RealmFormats", "RealmText"] + pageProducts,
      swiftSettings: librarySettings),
    .target(
      name: "RealmServerKit",
      dependencies: modules(
        "RealmSwift", "RealmDeclarations", "RealmFormats", "RealmText", "RealmServerEngine",
        "RealmServerServices", "RealmNetworking", "RealmPages", "RealmSyncProtocol",
        "RealmStorage", with: "Server")
        + modules("RealmServerPostgres", with: "Postgres") + networkProducts + serverProducts,
      exclude: ["Page"],
      swiftSettings: librarySettings, plugins: ["StudioPage"]),
    .executableTarget(
      name: "RealmServer",
      dependencies: modules(
        "RealmServerKit", "RealmDeclarations", "RealmFormats", "RealmServerEngine",
        "RealmServerServices", "RealmSyncProtocol", "RealmStorage", "RealmInventory",
        with: "Server")
        + serverCommandProducts,
      swiftSettings: librarySettings),
    .target(
      name: "RealmTools",
      dependencies: [
        "RealmDeclarations", "RealmSalvage", "RealmQuery", "RealmTables", "RealmStorage",
        "RealmFormats", "RealmText",
      ],
      swiftSettings: librarySettings),
    .executableTarget(
      name: "RealmCommand",
      dependencies: modules(
        "RealmDeclarations", "RealmTools", "RealmSalvage", "RealmStudio", "RealmStorage",
        "RealmTables",
        "RealmFormats", "RealmInventory", with: "Tools") + toolProducts,
      swiftSettings: librarySettings),
    .target(
      name: "RealmStudio",
      dependencies: modules(
        "RealmTools", "RealmSalvage", "RealmPages", "RealmFormats", "RealmText", "RealmQuery",
        "RealmTables", "RealmStorage", with: "Tools") + studioProducts,
      exclude: ["Page"],
      swiftSettings: librarySettings, plugins: ["StudioPage"]),
    .executableTarget(
      name: "realm-cities",
      dependencies: ["RealmSwift"],
      path: "Examples/RealmCities",
      exclude: ["DATA.md", "README.md"],
      resources: [.copy("Data")],
      swiftSettings: settings),
    .executableTarget(
      name: "realm-actors",
      dependencies: ["RealmSwift"],
      path: "Examples/RealmActors",
      exclude: ["README.md"],
      swiftSettings: settings),
    .executableTarget(
      name: "realm-diary",
      dependencies: ["RealmSwift"],
      path: "Examples/RealmDiary",
      exclude: ["README.md"],
      swiftSettings: settings),
    .executableTarget(
      name: "realm-todos",
      dependencies: ["RealmSwift"],
      path: "Examples/RealmTodos",
      exclude: ["README.md"],
      swiftSettings: settings),
    .executableTarget(
      name: "realm-notes",
      dependencies: ["RealmSwift", "RealmMetrics"]
        + products("Hummingbird", of: "hummingbird", with: "Tools")
        + products("HTTPTypes", of: "swift-http-types", with: "Tools")
        + products("NIOCore", of: "swift-nio", with: "Tools"),
      path: "Examples/RealmNotes",
      exclude: ["Containerfile", "README.md"],
      swiftSettings: settings),
    .executableTarget(
      name: "realm-two-devices",
      dependencies: [
        "RealmSyncTestSupport", "RealmReplication", "RealmSyncProtocol", "RealmTables",
      ],
      path: "Examples/RealmTwoDevices",
      exclude: ["README.md"],
      swiftSettings: settings),
    .executableTarget(
      name: "realm-storm",
      // The program realm-server is started, and has to be there.
      dependencies: ["RealmSwift", "RealmTestSupport"]
        + modules("RealmServer", "RealmSync", with: "Server")
        + products("ArgumentParser", of: "swift-argument-parser", with: "Server"),
      path: "Examples/RealmStorm",
      exclude: ["README.md"],
      swiftSettings: settings),
    .target(
      name: "ErrandModels", dependencies: ["RealmSwift"], path: "Examples/RealmErrands/Models",
      swiftSettings: settings),
    .target(
      name: "TodosAppModel", dependencies: ["RealmSwift"], path: "Examples/RealmTodosApp/Model",
      swiftSettings: settings),
    .executableTarget(
      name: "realm-errands-server",
      dependencies: ["ErrandModels", "RealmSwift"] + modules("RealmServerKit", with: "Server")
        + products("Logging", of: "swift-log", with: "Server")
        + products(
          "ServiceLifecycle", "UnixSignals", of: "swift-service-lifecycle", with: "Server"),
      path: "Examples/RealmErrands/Server",
      swiftSettings: settings),
    .executableTarget(
      name: "realm-errands",
      dependencies: ["ErrandModels", "RealmSwift"],
      path: "Examples/RealmErrands/Client",
      swiftSettings: settings),
    .executableTarget(
      name: "realm-sync",
      dependencies: [
        "RealmFormats", "RealmText", "RealmSync", "RealmReplication", "RealmSyncProtocol",
        "RealmTables", "RealmStorage", "RealmNetworking", "RealmSyncTestSupport",
        "RealmTestSupport",
      ] + modules("RealmServerServices", with: "Server"),
      path: "Benchmarks/Sources/realm-sync",
      swiftSettings: settings),
    .executableTarget(
      name: "realm-instructions",
      dependencies: ["RealmSwift"],
      path: "Benchmarks/Sources/realm-instructions",
      swiftSettings: settings),
    .executableTarget(
      name: "realm-second-process",
      dependencies: ["RealmSwift"],
      path: "Tests/SecondProcess",
      swiftSettings: settings),
    .target(name: "FuzzDriver", path: "Tests/Fuzzing/Driver"),
    .target(
      name: "RealmFuzzTargets",
      dependencies: [
        "RealmDeclarations", "RealmFormats", "RealmText", "RealmQuery", "RealmReplication",
        "RealmSalvage", "RealmServerEngine", "RealmServerServices", "RealmStorage",
        "RealmSyncProtocol", "RealmTables", "RealmTestSupport", "RealmTools",
      ],
      path: "Tests/Fuzzing/Targets",
      swiftSettings: settings),
    .executableTarget(
      name: "realm-fuzz",
      dependencies: ["FuzzDriver", "RealmFuzzTargets", "RealmTestSupport"],
      path: "Tests/Fuzzing/Program",
      swiftSettings: settings),
    .target(
      name: "RealmTestSupport",
      dependencies: ["RealmFormats", "RealmText", "RealmStorage", "RealmTables"],
      swiftSettings: settings),
    .target(
      name: "RealmSyncTestSupport",
      dependencies: [
        "RealmDeclarations", "RealmFormats", "RealmText", "RealmQuery", "RealmReplication",
        "RealmServerEngine",
        "RealmStorage", "RealmSync", "RealmSyncProtocol", "RealmTables", "RealmTestSupport",
      ],
      swiftSettings: settings),
    .target(name: "AllocationCounter", path: "Tests/AllocationCounter"),
    .target(name: "TestExtensions", path: "Tests/TestExtensions", swiftSettings: settings),
    .testTarget(
      name: "RealmFormatsTests",
      dependencies: ["RealmFormats", "RealmText", "RealmTestSupport", "TestExtensions"],
      swiftSettings: settings),
    .testTarget(
      name: "RealmSyncProtocolTests",
      dependencies: [
        "RealmFormats", "RealmText", "RealmSyncProtocol", "RealmTestSupport", "TestExtensions",
      ],
      exclude: ["Traces"],
      swiftSettings: settings),
    .testTarget(
      name: "RealmStorageTests",
      dependencies: ["RealmStorage", "RealmTestSupport", "TestExtensions"],
      swiftSettings: settings),
    .testTarget(
      name: "RealmTablesTests",
      dependencies: [
        "RealmFormats", "RealmTables", "RealmStorage", "RealmTestSupport", "TestExtensions",
      ],
      resources: [.copy("Fixtures")],
      swiftSettings: settings),
    .testTarget(
      name: "RealmReplicationTests",
      dependencies: [
        "RealmFormats", "RealmText", "RealmReplication", "RealmSyncProtocol", "RealmTables",
        "RealmStorage",
        "RealmSyncTestSupport", "RealmTestSupport", "TestExtensions",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RealmSyncTests",
      dependencies: [
        "RealmFormats", "RealmText", "RealmSync", "RealmServerEngine", "RealmReplication",
        "RealmSyncProtocol",
        "RealmSession", "RealmTables",
        "RealmStorage", "RealmSyncTestSupport", "RealmTestSupport", "TestExtensions",
        "realm-two-devices",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RealmServerEngineTests",
      dependencies: [
        "RealmDeclarations", "RealmFormats", "RealmText", "RealmServerEngine", "RealmReplication",
        "RealmSyncProtocol", "RealmQuery", "RealmTables",
        "RealmStorage", "RealmSyncTestSupport", "RealmTestSupport", "TestExtensions",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RealmServerServicesTests",
      dependencies: [
        "RealmDeclarations", "RealmFormats", "RealmText", "RealmServerEngine",
        "RealmServerServices", "RealmReplication", "RealmSync", "RealmSyncProtocol", "RealmQuery",
        "RealmTables", "RealmStorage", "RealmSyncTestSupport", "RealmTestSupport",
        "TestExtensions",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RealmServerPostgresTests",
      dependencies: [
        "RealmFormats", "RealmServerEngine", "RealmServerServices", "RealmReplication",
        "RealmSyncProtocol", "RealmTables", "RealmStorage", "RealmSyncTestSupport",
        "RealmTestSupport", "TestExtensions",
      ] + modules("RealmServerPostgres", "RealmServerKit", "RealmSwift", with: "Postgres")
        + products("Logging", of: "swift-log", with: "Postgres"),
      swiftSettings: settings),
    .testTarget(
      name: "RealmServerTests",
      dependencies: [
        "RealmFormats", "RealmText", "RealmSwift", "RealmServer", "RealmServerKit",
        "RealmServerEngine", "RealmServerServices", "RealmNetworking", "RealmPages", "RealmSync",
        "RealmReplication",
        "RealmSyncProtocol", "RealmTables", "RealmStorage", "RealmTestSupport",
        "RealmSyncTestSupport", "RealmInventory", "RealmBrowserSupport", "TestExtensions",
      ] + networkProducts + products("NIOEmbedded", of: "swift-nio", with: "Server")
        + products("Crypto", "_CryptoExtras", of: "swift-crypto", with: "Server")
        + products("Logging", of: "swift-log", with: "Server") + openCombine,
      exclude: ["Deployed/Traces"], swiftSettings: settings),
    .testTarget(
      name: "RealmServerKitTests",
      dependencies: [
        "ErrandModels", "RealmSwift", "RealmTestSupport", "TestExtensions", "TodosAppModel",
        "realm-errands", "realm-errands-server",
      ] + modules("RealmServerEngine", "RealmServerKit", "RealmSyncProtocol", with: "Server")
        + products("Logging", of: "swift-log", with: "Server")
        + products("ServiceLifecycle", of: "swift-service-lifecycle", with: "Server")
        + products("MetricsTestKit", of: "swift-metrics", with: "Server")
        + products("InMemoryTracing", "Tracing", of: "swift-distributed-tracing", with: "Server")
        + products("AsyncHTTPClient", of: "async-http-client", with: "Server")
        + products("NIOCore", of: "swift-nio", with: "Server"),
      swiftSettings: settings),
    .testTarget(
      name: "RealmNotesTests",
      dependencies: ["realm-notes", "RealmSwift"]
        + products("AsyncHTTPClient", of: "async-http-client", with: "Tools")
        + products("Hummingbird", of: "hummingbird", with: "Tools")
        + products("NIOCore", "NIOHTTP1", of: "swift-nio", with: "Tools"),
      swiftSettings: settings),
    .testTarget(
      name: "RealmMetricsTests",
      dependencies: ["RealmMetrics", "RealmSwift"]
        + products("MetricsTestKit", of: "swift-metrics", with: "Metrics")
        + products("InMemoryTracing", of: "swift-distributed-tracing", with: "Metrics"),
      swiftSettings: settings),
    .testTarget(
      name: "RealmToolsTests",
      dependencies: [
        "RealmDeclarations", "RealmTools", "RealmSalvage", "RealmSwift", "RealmQuery",
        "RealmTables", "RealmStorage", "RealmFormats", "RealmText", "RealmTestSupport",
        "TestExtensions",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RealmCommandTests",
      dependencies: [
        "RealmTools", "RealmCommand", "RealmTables", "RealmStorage", "RealmFormats",
        "RealmTestSupport", "TestExtensions",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RealmFuzzTests",
      dependencies: ["RealmFuzzTargets", "RealmTestSupport", "TestExtensions"],
      swiftSettings: settings),
    .testTarget(
      name: "RealmQueryTests",
      dependencies: [
        "RealmQuery", "RealmTables", "RealmStorage", "RealmTestSupport", "TestExtensions",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RealmSessionTests",
      dependencies: [
        "RealmSession", "RealmQuery", "RealmTables", "RealmStorage", "RealmTestSupport",
        "TestExtensions",
      ],
      swiftSettings: settings),
    .target(
      name: "RealmSwiftTestSupport",
      dependencies: ["RealmSwift", "RealmStorage", "RealmTestSupport", "TestExtensions"],
      path: "Tests/RealmSwiftTestSupport",
      swiftSettings: settings),
    .testTarget(
      name: "RealmSwiftTests",
      dependencies: [
        "RealmFormats", "RealmSwift", "RealmSession", "RealmTables", "RealmStorage",
        "RealmTestSupport", "RealmSwiftTestSupport", "TestExtensions", "realm-second-process",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RealmSwiftPropertyTests",
      dependencies: [
        "RealmFormats", "RealmSwift", "RealmSession", "RealmQuery", "RealmTables",
        "RealmStorage", "RealmTestSupport", "RealmSwiftTestSupport", "TestExtensions",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RealmSwiftQueryTests",
      dependencies: [
        "RealmSwift", "RealmQuery", "RealmStorage", "RealmTestSupport", "RealmSwiftTestSupport",
        "TestExtensions", "AllocationCounter",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RealmSwiftSyncTests",
      dependencies: [
        "RealmFormats", "RealmText", "RealmSwift", "RealmSession", "RealmSync", "RealmReplication",
        "RealmSyncProtocol", "RealmTables", "RealmStorage", "RealmTestSupport",
        "RealmSwiftTestSupport", "RealmSyncTestSupport", "TestExtensions",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RealmTraitTests",
      dependencies: [
        "RealmSwift", "RealmStorage", "RealmTestSupport", "RealmSwiftTestSupport", "TestExtensions",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RealmAllocationTests", dependencies: ["RealmSwift", "AllocationCounter"],
      swiftSettings: settings),
    .testTarget(
      name: "RealmCombineTests",
      dependencies: [
        "RealmFormats", "RealmSwift", "RealmSync", "RealmSyncProtocol", "RealmStorage",
        "RealmSyncTestSupport", "RealmTestSupport", "TestExtensions",
      ] + openCombine,
      swiftSettings: settings),
    .target(
      name: "RealmBrowserSupport", dependencies: ["RealmFormats", "RealmTestSupport"],
      path: "Tests/RealmBrowserSupport", swiftSettings: settings),
    .testTarget(
      name: "RealmPagesTests",
      dependencies: ["RealmPages", "RealmFormats", "RealmTestSupport", "TestExtensions"],
      swiftSettings: settings),
    .testTarget(
      name: "RealmStudioTests",
      dependencies: [
        "RealmStudio", "RealmPages", "RealmFormats", "RealmQuery", "RealmTables", "RealmStorage",
        "RealmBrowserSupport", "RealmTestSupport", "TestExtensions",
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
    .testTarget(
      name: "DocumentationExamplesArticles",
      dependencies: ["RealmSwift", "RealmTestSupport"],
      path: "Tests/DocumentationExamples/Articles",
      swiftSettings: settings),
  ]
)

// What is built and tested by default is what every app has: `swift test` compiles no test of the
// server and of the tools. `OPENREALM_PART` in the environment has another part: `all`, `engine`,
// `database`, `rest` (all but the tests of the default part that no trait changes, for who has run
// that already), or the names of targets with commas between them, with what they need. Products
// and traits are the same for packages that depend on this one.

/// Tests of what apps do not have.
let otherTests = [
  "RealmServerEngineTests", "RealmServerServicesTests", "RealmServerPostgresTests",
  "RealmServerTests", "RealmServerKitTests", "RealmNotesTests", "RealmMetricsTests",
  "RealmToolsTests", "RealmCommandTests", "RealmPagesTests", "RealmStudioTests",
  "RealmFuzzTargets", "RealmFuzzTests",
]

/// The program of `Scripts/fuzz`, which builds it by its name.
let fuzzing = ["FuzzDriver", "realm-fuzz"]

/// Tests of the default part of which no trait changes what they test.
let testsWithoutTraits = [
  "RealmStorageTests", "RealmSwiftTests", "RealmFormatsTests", "RealmSyncProtocolTests",
  "RealmTablesTests", "RealmReplicationTests",
  "RealmQueryTests", "RealmSessionTests", "RealmSyncTests", "RealmSwiftPropertyTests",
  "RealmSwiftQueryTests", "RealmAllocationTests",
]

let engineTests = ["RealmStorageTests", "RealmTablesTests", "RealmQueryTests"]
let databaseTests =
  engineTests + [
    "RealmSessionTests", "RealmSwiftTests", "RealmSwiftPropertyTests", "RealmSwiftQueryTests",
    "RealmAllocationTests",
  ]

switch Context.environment["OPENREALM_PART"] {
case nil: package.targets.removeAll { (otherTests + fuzzing).contains($0.name) }
case "all": package.targets.removeAll { fuzzing.contains($0.name) }
case "rest": package.targets.removeAll { (testsWithoutTraits + fuzzing).contains($0.name) }
case "engine": keep(engineTests)
case "database": keep(databaseTests)
case let names?: keep(names.split(separator: ",").map(String.init))
}

/// Removes all targets but some and what they need, and the products that have others.
@MainActor func keep(_ names: [String]) {
  var needed = Set<String>()
  var left = names
  while let name = left.popLast() {
    guard needed.insert(name).inserted else { continue }
    for target in package.targets where target.name == name {
      left += target.dependencies.compactMap { dependency in
        switch dependency {
        case .targetItem(let name, _), .byNameItem(let name, _): name
        default: nil
        }
      }
    }
  }
  package.targets.removeAll { $0.type != .plugin && !needed.contains($0.name) }
  package.products.removeAll { product in
    switch product {
    case let library as Product.Library: !library.targets.allSatisfy(needed.contains)
    case let program as Product.Executable: !program.targets.allSatisfy(needed.contains)
    default: false
    }
  }
}
