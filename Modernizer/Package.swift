// swift-tools-version: 6.2
// Rewrites models of the time of `@objc dynamic` with `@Persisted`. A package of its own, so that
// nothing else fetches or compiles swift-syntax.

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "Modernizer",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "realm-modernize", targets: ["realm-modernize"])],
  dependencies: [
    .package(url: "https://github.com/swiftlang/swift-syntax.git", from: "603.0.1")
  ],
  targets: [
    .target(
      name: "ModelModernizer",
      dependencies: [
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "realm-modernize", dependencies: ["ModelModernizer"], swiftSettings: settings),
    .testTarget(
      name: "ModelModernizerTests", dependencies: ["ModelModernizer"], swiftSettings: settings),
  ]
)
