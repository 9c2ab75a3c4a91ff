// SPDX-License-Identifier: Apache-2.0

// The `.realm` files that Realm Core wrote, and what is in them.

import Foundation
import RealmFormats
import RealmTestSupport
import Testing

/// A fixture file of format 24 in the test bundle.
struct Fixture {
  static let names = [
    "after-many-commits", "all-types", "blank", "compacted", "deep", "empty", "schema-changes",
    "streaming", "todo", "tombstones",
  ]

  let name: String
  private let folder: URL

  init(_ name: String) throws {
    self.name = name
    let bundle = try #require(Bundle.module.resourceURL)
    folder = bundle.appendingPathComponent("Fixtures")
  }

  /// The contents of any file beside the fixtures.
  static func data(ofFile name: String) throws -> Data {
    let bundle = try #require(Bundle.module.resourceURL)
    return try Data(contentsOf: bundle.appendingPathComponent("Fixtures/" + name))
  }

  var path: String { folder.appendingPathComponent(name + ".realm").path }

  func bytes() throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appendingPathComponent(name + ".realm")))
  }

  /// The contents, as Realm Core reads them.
  func expected() throws -> JSONValue {
    try JSONParser.parse(
      Array(try Data(contentsOf: folder.appendingPathComponent(name + ".json"))))
  }
}
