// SPDX-License-Identifier: Apache-2.0

// Dictionaries within mixed values.

import RealmStorage

extension MixedCodec {
  /// The entries of a nested dictionary.
  static func decodeDictionary(
    _ root: Ref, in space: NodeSpace, _ nesting: inout MixedNesting
  ) throws(StorageError) -> TableDictionary {
    var entries: [TableDictionary.Entry] = []
    let view = try DictionaryView(root: root, hasIntegerKeys: false, in: space)
    try nesting.enter(root, count: view.count)
    defer { nesting.leave() }
    for index in 0..<view.count {
      let value = try decode(try view.mixed(at: index), in: space, &nesting)
      entries.append(TableDictionary.Entry(key: try view.key(at: index), value: value))
    }
    return TableDictionary(entries)
  }
}
