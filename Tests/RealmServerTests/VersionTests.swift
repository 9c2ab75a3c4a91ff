// SPDX-License-Identifier: Apache-2.0

// What the programs say they are made of.

#if Server
import Foundation
import RealmInventory
import TestExtensions
import Testing

struct VersionTests {
  @Test func theVersionNamesThePackagesOfTheBuild() throws {
    let text = ProgramVersion.text(of: "realm-server", "1.2.3")
    expectTrue(text.hasPrefix("realm-server 1.2.3\npackages:\n"))
    let packages = ProgramVersion.packages
    // Of the manifest, and one that only others ask for.
    for name in ["swift-nio", "swift-nio-ssl", "hummingbird", "swift-crypto", "swift-atomics"] {
      let version = try #require(packages[name], "\(name)")
      expectEqual(version.split(separator: ".").count, 3)
      expectEqual(version.first?.isNumber, true)
      expectTrue(text.contains("\n  \(name) \(version)"))
    }
    expectEqual(packages["openrealm"], nil)
  }
}
#endif
