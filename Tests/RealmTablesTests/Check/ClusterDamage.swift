// SPDX-License-Identifier: Apache-2.0

// Damage to the trees of objects: checks 22 to 24.

import RealmStorage

@testable import RealmTables

extension FileImage {
  /// The path to a table's tree of objects.
  func clusters(of table: String) throws -> [Int] {
    [try index(of: table), TableSlot.clusters]
  }
}

extension Damage {
  /// `deep` has three levels with explicit offsets, `todo` two with compact ones.
  static let ofClusters: [Damage] = [
    Damage(22, "a wrong total", fixture: "todo") { image in
      try image.set(Tagged.slot(9_999), at: 2, path: try image.clusters(of: "class_Todo"))
    },
    Damage(22, "a wrong depth", fixture: "todo") { image in
      try image.set(Tagged.slot(2), at: 1, path: try image.clusters(of: "class_Todo"))
    },
    Damage(22, "a child that occurs twice", fixture: "todo") { image in
      let path = try image.clusters(of: "class_Todo")
      try image.set(try image.node(path).integer(at: 3), at: 4, path: path)
    },
    Damage(22, "an empty cluster", fixture: "todo") { image in
      try image.set(Tagged.slot(0), at: 0, path: try image.clusters(of: "class_Todo") + [5])
    },
    Damage(22, "a cluster of too many objects", fixture: "todo") { image in
      try image.set(Tagged.slot(257), at: 0, path: try image.clusters(of: "class_Todo") + [5])
    },
    Damage(22, "a ref outside the file", fixture: "todo") { image in
      try image.set(1 << 40, at: 6, path: try image.clusters(of: "class_Todo"))
    },
    Damage(22, "offsets that do not ascend", fixture: "deep") { image in
      try image.set(0, at: 1, path: try image.clusters(of: try image.deepTable()) + [0])
    },
    Damage(22, "a first offset above 0", fixture: "deep") { image in
      try image.set(1, at: 0, path: try image.clusters(of: try image.deepTable()) + [0])
    },
    Damage(22, "keys that do not ascend", fixture: "after-many-commits") { image in
      let path = try image.explicitCluster()
      try image.set(0, at: 1, path: path + [0])
      try image.set(0, at: 0, path: path + [0])
    },
    Damage(24, "a live object with a tombstone's key", fixture: "tombstones") { image in
      let path = try image.clusters(of: "class_Target") + [0]
      let last = try image.node(path).count - 1
      try image.set(.min + 5, at: last, path: path)
    },
    Damage(24, "a tombstone with an object's key", fixture: "tombstones") { image in
      let path = [try image.index(of: "class_Target"), TableSlot.tombstones]
      let count = try image.node(path + [0]).count
      try image.set(Tagged.slot(count), at: 0, path: path)
    },
  ]
}

extension FileImage {
  /// The only large table of the fixture `deep`.
  func deepTable() throws -> String {
    let names = try NameLeaf.names(of: space.node(at: tableNames))
    for name in names where try node(clusters(of: name)).header.isInner { return name }
    throw StorageError.corrupted("the fixture has no deep table")
  }

  /// The path to a cluster with an array of keys.
  func explicitCluster() throws -> [Int] {
    for name in try NameLeaf.names(of: space.node(at: tableNames)) {
      let path = try clusters(of: name)
      let root = try node(path)
      if !root.header.isInner {
        if try root.integer(at: 0) & 1 == 0 { return path }
        continue
      }
      for child in 3..<root.count where try node(path + [child]).integer(at: 0) & 1 == 0 {
        return path + [child]
      }
    }
    throw StorageError.corrupted("the fixture has no cluster with explicit keys")
  }
}

extension NameLeaf {
  /// All names.
  static func names(of node: Node) throws -> [String] {
    try (0..<node.count).map { try name(at: $0, of: node) }
  }
}
