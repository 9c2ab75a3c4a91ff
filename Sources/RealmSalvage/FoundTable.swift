// SPDX-License-Identifier: Apache-2.0

// A table, put together from its found parts.

import RealmTables

/// A table without its description, or objects of one with a loss.
struct FoundTable {
  /// A column whose name and type are gone.
  struct GuessedColumn: Equatable {
    let leafIndex: Int
    let type: ColumnType
    let isNullable: Bool

    var name: String { "property\(leafIndex + 1)" }
    var attributes: ColumnAttributes { isNullable ? .nullable : [] }

    func key(ofTable key: TableKey) -> ColumnKey {
      ColumnKey(leafIndex: leafIndex, type: type, attributes: attributes, tag: key.rawValue)
    }
  }

  /// A cluster of leaves found without one.
  struct MadeCluster {
    /// The slots of its node.
    let slots: [Int64]
    /// The key of its first object.
    let base: UInt64
  }

  /// Where the columns of a table are known from.
  enum Description: Equatable {
    /// The table itself can be read.
    case own
    /// A found description, fitting the objects.
    case spec(Int)
    /// Nothing but the objects.
    case guessed([GuessedColumn])
  }

  /// Its place among the tables.
  let slot: Int
  let key: TableKey
  /// The table's name: `class_` and that of the class.
  let name: String
  let description: Description
  /// Where its objects are, beside the table's own tree.
  var parts: [DamagedTables.Part] = []
  /// Clusters missing in the file, of leaves in it (`LooseLeaves`).
  var made: [MadeCluster] = []
  /// Whether the objects have the keys named by links to them.
  var hasCertainKeys = true
  /// The offset of its top array, where it can be read in part.
  var top: Int?

  /// The remarks about it.
  var problem: String? {
    let className = name.dropFirst("class_".count)
    let twice = "an object may be there twice, in an older state"
    return switch description {
    case .own where !made.isEmpty:
      "\(className): the values of objects were found without the objects; which of them belong "
        + "together was guessed, and \(twice)"
    case .own: nil
    case .spec where top != nil:
      "\(className): a part of the table's description is gone; the rest was used"
    case .spec:
      "\(className): the table was found by its description among the bytes of the file; its links "
        + "to other classes, its primary key and its indexes are gone, and \(twice)"
    case .guessed:
      "\(className): nothing describes this class; its properties are called by their numbers and "
        + "have the types that their values look like, and \(twice)"
    }
  }
}
