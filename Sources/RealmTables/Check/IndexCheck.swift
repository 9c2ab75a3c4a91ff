// SPDX-License-Identifier: Apache-2.0

// Checks 31 and 34 to 37: primary keys and search indexes.

import RealmStorage

/// Checks the search indexes of one table against the values of its objects.
struct IndexCheck {
  let table: CheckedTable
  let contents: ObjectCheck.Contents
  let space: NodeSpace
  let report: CheckReport

  /// Where an index has entered an object.
  private struct Entry {
    let key: ObjectKey
    /// The chunks on the way to it.
    let path: [Int32]
  }

  func run() {
    for column in table.schema.columns {
      if column.isPrimaryKey { checkUnique(column) }
      guard column.hasIndex else { continue }
      let root = report.attempt(
        34, table.name, reading: try space.node(at: table.top.indexes).ref(at: column.leafIndex))
      if let root { check(column, root: root) }
    }
  }

  private func error(_ check: Int, _ message: String, _ column: Column, _ key: ObjectKey?) {
    report.error(check, "index of '\(column.name)': \(message)", table.name, key)
  }

  // MARK: Primary keys

  private enum UniqueValue: Hashable {
    case null
    case int(Int64)
    case bytes(ByteView)
    case bytes12(Bytes12)
    case bytes16(Bytes16)
    case other

    init(_ value: MixedValue) {
      switch value {
      case .null: self = .null
      case .int(let value): self = .int(value)
      case .string(let value): self = .bytes(value)
      case .objectId(let value): self = .bytes12(value)
      case .uuid(let value): self = .bytes16(value)
      default: self = .other
      }
    }
  }

  private func checkUnique(_ column: Column) {
    var known: Set<UniqueValue> = []
    for (key, value) in zip(contents.keys, contents.values[column.leafIndex] ?? [])
    where !known.insert(UniqueValue(value)).inserted {
      report.error(31, "the primary key occurs twice", table.name, key)
    }
  }

  // MARK: Entries

  private func check(_ column: Column, root: Ref) {
    var entries: [Entry] = []
    var lists: [[ObjectKey]] = []
    let last = report.attempt(
      34, table.name, reading: try walk(root, path: [], &entries, &lists))
    if last == nil { return }
    let words = words(of: column)
    var expected = words.mapValues { $0.count }
    for entry in entries {
      guard let values = words[entry.key] else {
        error(36, "an object is entered that is not there", column, entry.key)
        continue
      }
      guard
        values.contains(where: {
          $0.matches(entry.path, isFullWord: isFullWord(column))
        })
      else {
        error(35, "an object is not where its value belongs", column, entry.key)
        continue
      }
      expected[entry.key, default: 0] -= 1
    }
    for key in contents.keys {
      let missing = expected[key, default: 0]
      if missing > 0 { error(35, "an object is not entered", column, key) }
      if missing < 0 { error(36, "an object is entered more than once", column, key) }
    }
    if !isFullWord(column) { checkOrder(of: lists, column, words) }
  }

  private func isFullWord(_ column: Column) -> Bool {
    column.isFullText || column.collection != .none
  }

  /// A value or word that an object is entered under.
  private enum Word {
    case value(MixedValue)
    case token(FullTextTokenizer.Token)

    /// Whether it belongs where a path leads; a full word stands along the path completely.
    func matches(_ path: [Int32], isFullWord: Bool) -> Bool {
      switch self {
      case .value(let value):
        let data = IndexData(value)
        for (level, chunk) in path.enumerated() where data.chunk(at: 4 * level) != chunk {
          return false
        }
        guard isFullWord, case .string(let text) = value else { return true }
        return 4 * path.count >= text.count
      case .token(let token):
        return unsafe token.bytes.withUnsafeBytes { bytes in
          unsafe Word.value(.string(ByteView(bytes))).matches(path, isFullWord: isFullWord)
        }
      }
    }
  }

  /// The values that each object is to be found under.
  private func words(of column: Column) -> [ObjectKey: [Word]] {
    let words: [[Word]]
    if column.collection != .none {
      words = (contents.lists[column.leafIndex] ?? []).map { distinct($0).map { .value($0) } }
    } else {
      words = (contents.values[column.leafIndex] ?? []).map { value in
        guard column.isFullText else { return [.value(value)] }
        guard case .string(let text) = value else { return [] }
        return unsafe FullTextTokenizer.tokens(of: text.bytes).map { .token($0) }
      }
    }
    return Dictionary(zip(contents.keys, words)) { first, _ in first }
  }

  private func distinct(_ values: [MixedValue]) -> [MixedValue] {
    var distinct: [MixedValue] = []
    for value in values.sorted(by: { $0.isOrdered(before: $1) })
    where distinct.last.map({ !$0.isEqual(to: value) }) ?? true {
      distinct.append(value)
    }
    return distinct
  }

  /// Check 37: lists are ascending by value, then by key.
  private func checkOrder(of lists: [[ObjectKey]], _ column: Column, _ words: [ObjectKey: [Word]]) {
    for list in lists {
      for index in 1..<max(list.count, 1) {
        guard case .value(let left) = words[list[index - 1]]?.first,
          case .value(let right) = words[list[index]]?.first
        else { continue }
        let order = left.compare(to: right)
        if order > 0 || order == 0 && list[index - 1] >= list[index] {
          report.warning(
            37, "index of '\(column.name)': a list is not in order", table.name, list[index])
          break
        }
      }
    }
  }

  // MARK: Nodes

  /// Collects the entries below a node, and the last chunk.
  @discardableResult
  private func walk(
    _ ref: Ref, path: [Int32], _ entries: inout [Entry], _ lists: inout [[ObjectKey]]
  ) throws(StorageError) -> Int32? {
    try report.enter(ref)
    guard path.count <= SearchIndexLimits.maximumOffset / 4 + 2 else {
      throw .corrupted("a search index is too deep")
    }
    let node = try SearchIndexNode(ref, in: space)
    guard node.count <= SearchIndexLimits.nodeEntryCount else {
      throw .corrupted("the search index node at \(ref.offset) has \(node.count) entries")
    }
    for index in 0..<node.count {
      let chunk = node.key(at: index)
      guard index == 0 || node.key(at: index - 1) < chunk else {
        throw .corrupted("the chunks of the search index node at \(ref.offset) do not ascend")
      }
      if node.isInner {
        let last = try walk(try node.node.ref(at: index + 1), path: path, &entries, &lists)
        guard last == chunk else {
          throw .corrupted(
            "the search index node at \(ref.offset) has a wrong key for child \(index)")
        }
        continue
      }
      let path = path + [chunk]
      switch try node.entry(at: index, in: space) {
      case .object(let key): entries.append(Entry(key: key, path: path))
      case .subindex(let sub): try walk(sub, path: path, &entries, &lists)
      case .list(let list):
        var keys: [ObjectKey] = []
        for case .int(let key) in try ElementReader.integers(in: space).values(
          ofTree: list, report)
        {
          keys.append(ObjectKey(key))
        }
        entries += keys.map { Entry(key: $0, path: path) }
        lists.append(keys)
      }
    }
    return node.count > 0 ? node.key(at: node.count - 1) : nil
  }
}
