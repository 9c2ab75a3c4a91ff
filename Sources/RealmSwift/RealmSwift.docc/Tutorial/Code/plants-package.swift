// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "plants",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "<where this repository lives>", branch: "main")
  ],
  targets: [
    .executableTarget(
      name: "plants",
      dependencies: [.product(name: "RealmSwift", package: "OpenRealm")])
  ]
)
