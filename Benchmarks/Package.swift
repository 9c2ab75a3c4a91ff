// swift-tools-version: 6.2
// Measures OpenRealm beside SQLite, GRDB and LMDB. A package of its own: users of OpenRealm never
// build it, nor what it depends on.

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]
let arguments = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")

/// A program that chooses suites and prints their rows.
func program(_ name: String) -> Target {
  .executableTarget(
    name: name,
    dependencies: ["BenchmarkCommands", "BenchmarkSuites", "BenchmarkSupport", arguments],
    swiftSettings: settings)
}

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "OpenRealm", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
    // Data, rows and tables: arithmetic alone.
    .target(name: "BenchmarkSupport", swiftSettings: settings),
    // The engines and what is measured.
    .target(
      name: "BenchmarkSuites",
      dependencies: [
        "BenchmarkSupport", "CSQLite", "CLMDB",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "RealmSwift", package: "OpenRealm"),
      ],
      swiftSettings: settings),
    // What the programs have in common.
    .target(
      name: "BenchmarkCommands",
      dependencies: ["BenchmarkSuites", "BenchmarkSupport", arguments], swiftSettings: settings),
    program("realm-benchmarks"),
    program("realm-queries"),
    program("realm-encryption"),
    program("realm-tools"),
    .executableTarget(
      name: "realm-latency",
      dependencies: [.product(name: "RealmSwift", package: "OpenRealm")], swiftSettings: settings),
    .testTarget(
      name: "BenchmarkSupportTests", dependencies: ["BenchmarkSupport"], swiftSettings: settings),
  ]
)
