// SPDX-License-Identifier: Apache-2.0

// The filters of roles with which the objects of a client's file were selected (P4 B.1).
//
// A user's role may be another one in the next session. Then the client has objects that the new
// role does not let it see, and the server has to know which: by the old filters.
//
// Invariants:
// 1. A client at a version or a later one has the filters of the last change up to it, whether it
//    has received what came with this change or not: where that has erasures or new objects, it has
//    a later version than all that the client had.
// 2. The filters of all versions stay that the client may still name.

import RealmFormats

/// The changes of the filters of a client's view.
struct ViewFilters: Hashable, Sendable {
  private struct Change: Hashable {
    /// The version of the bootstrap that brought the client to the filters.
    let version: UInt64
    /// Nil where everything may be read.
    let filters: ReadFilters?
  }

  /// In the order of their versions.
  private var changes: [Change] = []

  /// The changes of stored text; nil for text of another form.
  init?(_ text: String) {
    guard !text.isEmpty else { return }
    guard let elements = (try? JSONParser.parse(text))?.array else { return nil }
    for element in elements {
      guard let version = element["from"]?.unsigned, let json = element["filters"] else {
        return nil
      }
      let filters = ReadFilters(json)
      guard filters != nil || json == .null else { return nil }
      changes.append(Change(version: version, filters: filters))
    }
  }

  /// The changes as they are stored.
  var text: String {
    guard !changes.isEmpty else { return "" }
    return JSONWriter.text(
      .array(
        changes.map { change in
          .object([
            JSONMember("from", .integer(Int64(change.version))),
            JSONMember("filters", change.filters?.json ?? .null),
          ])
        }))
  }

  /// Whether a property is hidden at any of the versions.
  var hidesFields: Bool { changes.contains { $0.filters?.hidesFields ?? false } }

  /// Whether a part of a property is hidden at any of the versions.
  var haveParts: Bool { changes.contains { $0.filters?.haveParts ?? false } }

  /// The filters of a client at a version; nil if everything may be read.
  func filters(at version: UInt64) -> ReadFilters? {
    changes.last { $0.version <= version }?.filters
  }

  /// Forgets the bootstraps after the version in a client's IDENT: it has not received them, and
  /// has the filters of this version until another one is made.
  ///
  /// - Returns: Whether there were any.
  mutating func removeAll(after version: UInt64) -> Bool {
    let count = changes.count
    changes.removeAll { $0.version > version }
    return changes.count < count
  }

  /// Notes the filters of a bootstrap.
  ///
  /// - Parameters:
  ///   - version: That of the client after it.
  ///   - base: The client names no earlier version any more.
  mutating func set(_ filters: ReadFilters?, from version: UInt64, base: UInt64) {
    guard changes.last?.filters != filters else { return }
    changes.removeAll { $0.version >= version }
    changes.append(Change(version: version, filters: filters))
    // `ViewFilters` 2
    if let first = changes.lastIndex(where: { $0.version <= base }) {
      changes.removeFirst(first)
    }
  }
}
