// SPDX-License-Identifier: Apache-2.0

// A class with a property of each type, and files with any number of its objects, for the tests
// that count what queries allocate.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import RealmTestSupport

final class GrainPlace: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class Grain: Object {
  @Persisted var int = 0
  @Persisted(indexed: true) var indexedInt = 0
  @Persisted var optionalInt: Int?
  @Persisted var double = 0.0
  @Persisted var optionalDouble: Double?
  @Persisted var float: Float = 0
  @Persisted var bool = false
  @Persisted var string = ""
  @Persisted var optionalString: String?
  @Persisted(indexed: true) var indexedString = ""
  @Persisted(indexed: .fullText) var text = ""
  @Persisted var data = Data()
  @Persisted var date = Date()
  @Persisted var uuid = UUID()
  @Persisted var objectId = ObjectId.generate()
  @Persisted var decimal: Decimal128 = 0
  @Persisted var any: AnyRealmValue
  @Persisted var link: Grain?
  @Persisted var links: List<Grain>
  @Persisted var ints: List<Int>
  @Persisted var strings: MutableSet<String>
  @Persisted var decimals: List<Decimal128>
  @Persisted var map: Map<String, Int>
  @Persisted var place: GrainPlace?
  @Persisted(originProperty: "links") var owners: LinkingObjects<Grain>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A file with a number of objects whose values have no order and repeat.
struct GrainFile {
  private let file: TemporaryRealm
  let realm: Realm
  var grains: Results<Grain> { realm.objects(Grain.self) }

  init(count: Int) throws {
    file = try TemporaryRealm([Grain.self, GrainPlace.self])
    realm = try file.open()
    let realm = realm
    try realm.write {
      var random = SeededGenerator(seed: 9)
      var last: Grain?
      for index in 0..<count {
        let grain = Grain()
        grain.fill(Int.random(in: 0..<40, using: &random), index)
        realm.add(grain)
        grain.fillCollections(index % 5, last)
        last = index % 4 == 0 ? grain : last
      }
    }
  }
}

extension Grain {
  /// Words of each kind that strings are compared in another way.
  private static let words = ["amber", "Ähre", "barley corn", "Çelik", "emmer and einkorn wheat"]

  fileprivate func fill(_ number: Int, _ index: Int) {
    let word = Grain.words[number % Grain.words.count]
    int = number
    indexedInt = number
    optionalInt = number % 4 == 0 ? nil : number
    double = Double(number) / 4
    optionalDouble = number % 3 == 0 ? nil : double
    float = Float(number)
    bool = number % 2 == 0
    string = "\(word) \(number)"
    optionalString = number % 4 == 0 ? nil : word
    indexedString = word
    text = "a field of \(word) in row \(number)"
    data = Data(word.utf8)
    date = Date(timeIntervalSince1970: Double(number * 1000))
    uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number)))
    decimal = Decimal128(value: number) / 8
    any = [.int(number), .string(word), .double(double), .none, .decimal128(decimal)][number % 5]
  }

  fileprivate func fillCollections(_ size: Int, _ last: Grain?) {
    link = last
    for position in 0..<size {
      ints.append(position)
      strings.insert(Grain.words[position % Grain.words.count])
      decimals.append(Decimal128(value: position))
      map["k\(position)"] = position
      if let last { links.append(last) }
    }
    guard size > 0 else { return }
    let spot = GrainPlace()
    spot.coordinates.append(objectsIn: [Double(size), Double(int)])
    place = spot
  }
}
