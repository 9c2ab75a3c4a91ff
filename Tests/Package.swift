// swift-tools-version: 6.2
// The rules of the code and of the pages, as tests of a package of their own (`Scripts/style`): who
// builds and tests OpenRealm does not compile them.

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "Style",
  platforms: [.macOS(.v15)],
  targets: [
    .target(name: "TestExtensions", path: "TestExtensions", swiftSettings: settings),
    .testTarget(
      name: "StyleTests", dependencies: ["TestExtensions"], path: "StyleTests",
      swiftSettings: settings),
  ]
)
