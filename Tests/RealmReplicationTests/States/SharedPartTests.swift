// SPDX-License-Identifier: Apache-2.0

// The state of objects of a damaged file whose embedded objects have more than one owner: who
// writes it comes to an end.

import RealmStorage
import RealmTables
import RealmTestSupport
import Testing

@testable import RealmReplication

struct SharedPartTests {
  /// The elements of shared objects count as well.
  @Test func statesWithSharedElementsEnd() throws {
    let file = try DatabaseFile.open(
      path: "/shared-lists.realm", options: OpenOptions(isInMemory: true))
    let group = try WriteGroup(file.beginWrite())
    defer { group.rollback() }
    let (table, key) = try SharedParts.makeWithLists(in: group)
    #expect(throws: StorageError.corrupted("embedded objects do not end")) {
      var writer = ObjectStateWriter(group)
      try writer.append(key, in: table.key, isFresh: true)
    }
  }

  @Test(arguments: SharedParts.Shape.allCases)
  func statesEnd(_ shape: SharedParts.Shape) throws {
    let file = try DatabaseFile.open(
      path: "/shared-states.realm", options: OpenOptions(isInMemory: true))
    let group = try WriteGroup(file.beginWrite())
    defer { group.rollback() }
    let (table, key) = try SharedParts.make(shape, in: group)
    for isFresh in [true, false] {
      #expect(throws: StorageError.corrupted("embedded objects do not end")) {
        var writer = ObjectStateWriter(group)
        try writer.append(key, in: table.key, isFresh: isFresh)
      }
    }
    #expect(throws: StorageError.corrupted("embedded objects do not end")) {
      var writer = ObjectStateWriter(group)
      try writer.append(table.schema.columns[0], of: key, in: table.key)
    }
  }
}
