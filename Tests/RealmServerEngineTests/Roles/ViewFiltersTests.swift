// SPDX-License-Identifier: Apache-2.0

// The filters that are stored with a client's file.

import RealmFormats
import TestExtensions
import Testing

@testable import RealmServerEngine

struct ViewFiltersTests {
  private static func filters(_ owner: String) -> ReadFilters {
    ReadFilters(
      classes: ["Doc": .comparison(field: "owner", .equal, .string(owner))],
      fallback: .any([.constant(false), .all([.constant(true)])]))
  }

  /// `ViewFilters` 1
  @Test func aClientHasTheFiltersOfTheLastChangeUpToItsVersion() throws {
    var filters = try #require(ViewFilters(""))
    expectTrue(filters.text.isEmpty)
    expectTrue(filters.filters(at: 9) == nil)
    filters.set(Self.filters("a"), from: 4, base: 0)
    filters.set(nil, from: 7, base: 0)
    filters.set(Self.filters("b"), from: 9, base: 0)
    let stored = try #require(ViewFilters(filters.text))
    expectEqual(stored, filters)
    let expected = [
      (0, nil), (3, nil), (4, Self.filters("a")), (6, Self.filters("a")), (7, nil), (8, nil),
      (9, Self.filters("b")), (100, Self.filters("b")),
    ]
    for (version, filters) in expected {
      expectEqual(stored.filters(at: UInt64(version)), filters, "\(version)")
    }
  }

  /// A bootstrap that did not arrive is replaced by that of the next session.
  @Test func aLaterChangeReplacesThoseFromItsVersionOn() throws {
    var filters = try #require(ViewFilters(""))
    filters.set(Self.filters("a"), from: 4, base: 0)
    filters.set(Self.filters("b"), from: 4, base: 0)
    expectEqual(filters.filters(at: 4), Self.filters("b"))
    let text = filters.text
    filters.set(Self.filters("b"), from: 8, base: 0)
    expectEqual(filters.text, text)
  }

  /// `ViewFilters` 2
  @Test func changesGoThatNoClientNeeds() throws {
    var filters = try #require(ViewFilters(""))
    filters.set(Self.filters("a"), from: 2, base: 0)
    filters.set(Self.filters("b"), from: 4, base: 0)
    filters.set(Self.filters("c"), from: 6, base: 5)
    expectEqual(filters.filters(at: 3), nil)
    expectEqual(filters.filters(at: 5), Self.filters("b"))
    expectEqual(filters.filters(at: 6), Self.filters("c"))
  }

  @Test(arguments: ["x", "{}", "[1]", #"[{"from":1}]"#, #"[{"from":1,"filters":{}}]"#])
  func textOfAnotherFormIsNone(_ text: String) {
    expectEqual(ViewFilters(text), nil)
  }
}
