// SPDX-License-Identifier: Apache-2.0

// Updates of collections of embedded objects: removing an embedded object from its collection
// deletes it, so those that stay keep their positions and get new values.

import RealmSession
import RealmStorage
import RealmTables

extension ManagedCollection {
  func links() -> [ObjectKey] {
    reading(try contents().keys(), else: [])
  }

  /// Makes a list of embedded objects, which begins with some of those it has, longer or shorter.
  func extend(_ present: [ObjectKey], to links: [ObjectKey]) {
    if links.count == present.count { return }
    edit(try change(listEditor, from: present, to: links))
  }

  private func change(
    _ editor: ListEditor, from present: [ObjectKey], to links: [ObjectKey]
  ) throws(StorageError) {
    for index in present.indices.dropFirst(links.count).reversed() { try editor.remove(at: index) }
    for (index, link) in links.enumerated().dropFirst(present.count) {
      try editor.insert(.link(link), at: index)
    }
  }

  func linksByKey() -> [String: ObjectKey] {
    let view = dictionary()
    var links: [String: ObjectKey] = [:]
    for entry in reading(try view.entries(of: column).entries, else: []) {
      if case .link(let key) = entry.value { links[entry.key] = key }
    }
    return links
  }

  func clearEntries() {
    edit(try dictionaryEditor.removeAll())
  }

  /// Brings the entries of a dictionary of embedded objects to `links`.
  func update(_ present: [String: ObjectKey], to links: [String: ObjectKey?]) {
    edit(try change(dictionaryEditor, from: present, to: links))
  }

  private func change(
    _ editor: DictionaryEditor, from present: [String: ObjectKey], to links: [String: ObjectKey?]
  ) throws(StorageError) {
    for key in present.keys where links[key] == nil { try editor.remove(key) }
    for (key, link) in links where link == nil || present[key] != link {
      try editor.set(link.map { .link($0) } ?? .null, for: key)
    }
  }

  /// Updates the embedded objects in place while `.modified` updates the object that has the list:
  /// they get the values of those that come, which represent them from then on.
  ///
  /// - Returns: false if the collection is to be replaced as any other.
  func updateEmbedded(by elements: @autoclosure () -> [Any]) -> Bool {
    guard core.skipsEqualValues, let info, info.schema.tableKind == .embedded else { return false }
    let elements = elements()
    let objects = elements.compactMap { modelObject($0) }
    guard objects.count == elements.count, objects.allSatisfy({ unsafe $0._hot == nil }) else {
      return false
    }
    let present = links()
    let keys = objects.enumerated().map { index, object in
      stored(object, at: index < present.count ? present[index] : nil, info)
    }
    extend(present, to: keys)
    return true
  }

  /// Updates the embedded objects of a dictionary as `updateEmbedded(by:)` does those of a list.
  func updateEmbedded(by entries: @autoclosure () -> [(key: String, value: Any)]) -> Bool {
    guard core.skipsEqualValues, let info, info.schema.tableKind == .embedded else { return false }
    let objects = entries().map { ($0.key, unwrapped($0.value).flatMap { modelObject($0) }) }
    guard objects.allSatisfy({ unsafe $0.1?._hot == nil }) else { return false }
    let present = linksByKey()
    let keys = objects.map { key, object in
      (checkedKey(key, of: placeText), object.map { stored($0, at: present[key], info) })
    }
    update(present, to: Dictionary(keys, uniquingKeysWith: { _, last in last }))
    return true
  }

  private func stored(_ object: ObjectBase, at key: ObjectKey?, _ info: ClassInfo) -> ObjectKey {
    guard let key else { return core.objects.managedKey(of: object) }
    core.objects.replaceValues(ofEmbedded: key, info, by: object)
    return key
  }
}
