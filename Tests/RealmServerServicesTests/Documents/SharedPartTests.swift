// SPDX-License-Identifier: Apache-2.0

// Documents of a damaged file whose embedded objects have more than one owner: reading them ends.

#if Server
import RealmFormats
import RealmStorage
import RealmTables
import RealmTestSupport
import Testing

@testable import RealmServerServices

struct SharedPartTests {
  /// The elements of shared objects count as well.
  @Test func documentsWithSharedElementsEnd() throws {
    let file = try DatabaseFile.open(
      path: "/shared-document-lists.realm", options: OpenOptions(isInMemory: true))
    let group = try WriteGroup(file.beginWrite())
    defer { group.rollback() }
    let (table, key) = try SharedParts.makeWithLists(in: group)
    let row = try #require(try table.row(of: key))
    #expect(throws: StorageError.corrupted("embedded objects do not end")) {
      try DocumentReader(group).document(row, table.schema)
    }
  }

  @Test(arguments: SharedParts.Shape.allCases)
  func documentsEnd(_ shape: SharedParts.Shape) throws {
    let file = try DatabaseFile.open(
      path: "/shared-documents.realm", options: OpenOptions(isInMemory: true))
    let group = try WriteGroup(file.beginWrite())
    defer { group.rollback() }
    let (table, key) = try SharedParts.make(shape, in: group)
    let row = try #require(try table.row(of: key))
    #expect(throws: StorageError.corrupted("embedded objects do not end")) {
      try DocumentReader(group).document(row, table.schema)
    }
  }
}
#endif
