// SPDX-License-Identifier: Apache-2.0

// A file with every element type in every collection, read by a reader that shares no code with
// ours.

import Foundation
import RealmFormats
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import Testing

@testable import RealmSession
@testable import RealmSwift

struct ElementFileTests {
  /// Fills the collections of each type with all its values.
  private struct Filling: ElementSuite, MapElementSuite {
    let realm: Realm

    func run<Element>(_ type: ElementType<Element>) throws {
      let values = type.values(realm)
      try type.list(#require(realm.objects(EveryList.self).first)).append(
        objectsIn: values.reversed() + values)
      try type.set(#require(realm.objects(EverySet.self).first)).insert(objectsIn: values)
    }

    func run<Element>(
      _ type: ElementType<Element>, _ map: @Sendable (EveryMap) -> Map<String, Element>
    ) throws {
      let map = try map(#require(realm.objects(EveryMap.self).first))
      for (index, value) in type.values(realm).enumerated() { map["key \(index)"] = .some(value) }
    }
  }

  @Test func theReferenceReaderReadsWhatWasWritten() throws {
    let file = try TemporaryRealm([
      EveryList.self, EverySet.self, EveryMap.self, ElementTarget.self, StoredPair.self,
      MixedHolder.self,
    ])
    let realm = try file.open()
    try realm.write {
      realm.create(EveryList.self)
      realm.create(EverySet.self)
      realm.create(EveryMap.self)
      for element in ElementCase.all + [ElementCase.pairs] {
        try element.run(Filling(realm: realm))
        try element.runMaps(Filling(realm: realm))
      }
      let holder = realm.create(MixedHolder.self, value: ["id": 1])
      holder.any = .fromDictionary([
        "all": .fromArray(ElementCase.mixedValues + [.object(holder)]), "none": .fromArray([]),
      ])
      holder.indexed = .fromArray([holder.any, .fromDictionary([:])])
      holder.list.append(objectsIn: [holder.any, .int(1), holder.indexed])
      holder.map["deep"] = holder.indexed
    }
    try ReferenceReader.check(file.configuration)
    #expect(try realm.core.file.check().isEmpty)
    guard ReferenceReader.isAvailable, let url = file.configuration.fileURL else { return }
    let reference = try ReferenceReader.dump(url.path)
    let ours = try ContentDump(realm.core.readableTables()).json()
    let differences = JSONValue.differences(expected: reference["tables"] ?? [], actual: ours)
    #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
  }
}
