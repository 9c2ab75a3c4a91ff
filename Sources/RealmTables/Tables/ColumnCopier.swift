// SPDX-License-Identifier: Apache-2.0

// Moving the values of a column to another, cluster by cluster.

package import RealmStorage

extension TableColumns {
  /// Gives a new column, which has no index and nothing but zeros and nulls, the values of another
  /// of the same type. Nulls become zeros where the new column does not take them; in collections
  /// they are left out.
  ///
  /// Costs one descent for each cluster, and for collections one for each object.
  package func copyValues(from source: ColumnKey, to target: ColumnKey) throws(StorageError) {
    try table.indexes.settle()
    let (source, target) = (try table.column(source), try table.column(target))
    assert(
      source.type == target.type && source.collection == target.collection,
      "values are copied between columns of one type")
    unsafe table.keyBound = KeyBound()
    // Writing moves clusters, so where objects are is found before.
    var clusters: [[ObjectKey]] = []
    var cursor = table.currentTable.clusterCursor()
    while let cluster = try cursor.next() {
      clusters.append((0..<cluster.count).map { cluster.key(at: $0) })
    }
    if target.collection == .none {
      let copier = ColumnCopier(table: table, source: source, target: target, clusters: clusters)
      try target.visitElements(copier)
      if source.isEnumerated { try table.enumerations.enumerate(target) }
      return
    }
    for key in clusters.joined() {
      guard let value = try table.row(of: key)?.value(of: source), !value.isNull else { continue }
      try table.set(target.isNullable ? value : value.withoutNulls, target, key)
    }
  }
}

/// Copies values that are no collections.
private struct ColumnCopier: ElementVisitor {
  let table: WritableTable
  let source: Column
  let target: Column
  /// The objects of each cluster in their order.
  let clusters: [[ObjectKey]]

  func visit<C: ElementCodec>(_ codec: C.Type) throws(StorageError) {
    for keys in clusters {
      guard let first = keys.first else { continue }
      let place = try table.writableRow(of: first)
      let old = try place.cluster.node.ref(at: target.leafIndex + 1)
      var leaf = old
      for (index, key) in keys.enumerated() {
        let row = unsafe Row(
          space: table.allocator.space, cluster: place.cluster.node, index: place.index + index,
          enumerations: table.enumerationPlace)
        let value = try row.value(of: source)
        if value.isNull { continue }
        leaf = try C.set(value, at: place.index + index, in: leaf, table.allocator)
        table.log.set(target.key, of: key, in: table.key)
      }
      if leaf != old { place.cluster.store(leaf.slot, at: target.leafIndex + 1) }
      if table.isRecorded { try record(keys) }
    }
  }

  /// Tells the values that were copied.
  private func record(_ keys: [ObjectKey]) throws(StorageError) {
    for key in keys {
      guard let row = try table.row(of: key), try !row.value(of: source).isNull else { continue }
      try table.recording.set(target, key, isDefault: false)
    }
  }
}

extension TableValue {
  /// A list or dictionary without elements that are nil.
  fileprivate var withoutNulls: TableValue {
    switch self {
    case .list(let elements): .list(elements.filter { !$0.isNull })
    case .dictionary(let map):
      .dictionary(TableDictionary(map.entries.filter { !$0.value.isNull }))
    default: self
    }
  }
}
