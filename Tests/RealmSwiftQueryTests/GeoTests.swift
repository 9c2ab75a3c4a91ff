// SPDX-License-Identifier: Apache-2.0

// Places in regions, by `where` and by strings.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private final class Place: EmbeddedObject {
  @Persisted var coordinates: List<Double>
  @Persisted var type = "Point"

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Station: Object {
  @Persisted(primaryKey: true) var name = ""
  @Persisted var place: Place?
  @Persisted var next: Station?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Formless: EmbeddedObject {
  @Persisted var coordinates: List<Int>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Wrong: Object {
  @Persisted var place: Formless?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct GeoTests {
  private static let cities: [(String, Double, Double)] = [
    ("Copenhagen", 55.68, 12.57), ("Malmö", 55.6, 13.0), ("Oslo", 59.91, 10.75),
    ("Reykjavik", 64.15, -21.94), ("Suva", -18.14, 178.44), ("Apia", -13.83, -171.77),
    ("Quito", -0.18, -78.47), ("McMurdo", -77.85, 166.67),
  ]
  private let file: TemporaryRealm
  private let realm: Realm

  init() throws {
    file = try TemporaryRealm([Station.self, Place.self, Formless.self, Wrong.self])
    realm = try file.open()
    let realm = realm
    try realm.write {
      for (name, latitude, longitude) in Self.cities {
        let station = realm.create(Station.self, value: ["name": name])
        station.place = Place()
        station.place?.coordinates.append(objectsIn: [longitude, latitude])
      }
      realm.create(Station.self, value: ["name": "Nowhere"])
      let line = realm.create(Station.self, value: ["name": "Line"])
      line.place = Place(value: ["coordinates": [12.57, 55.68], "type": "LineString"])
      let half = realm.create(Station.self, value: ["name": "Half"])
      half.place = Place(value: ["coordinates": [12.57]])
      realm.object(ofType: Station.self, forPrimaryKey: "Nowhere")?.next =
        realm.object(ofType: Station.self, forPrimaryKey: "Oslo")
    }
  }

  private func expect(
    _ shape: some GeoShape, _ names: Set<String>, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let all = realm.objects(Station.self)
    #expect(
      Set(all.where { $0.place.geoWithin(shape) }.map(\.name)) == names,
      sourceLocation: sourceLocation)
    #expect(
      Set(all.filter("place IN %@", shape).map(\.name)) == names, sourceLocation: sourceLocation)
    #expect(
      Set(all.filter("NOT place GEOWITHIN %@", shape).map(\.name))
        == Set(all.map(\.name)).subtracting(names), sourceLocation: sourceLocation)
  }

  @Test func regionsHoldTheirPlaces() throws {
    let copenhagen = try #require(GeoPoint(latitude: 55.68, longitude: 12.57))
    let near = try #require(Distance.kilometers(50))
    expect(GeoCircle(center: copenhagen, radius: near), ["Copenhagen", "Malmö"])
    expect(try #require(GeoCircle(center: copenhagen, radiusInRadians: 0)), ["Copenhagen"])
    let far = try #require(Distance.miles(400))
    expect(GeoCircle(center: copenhagen, radius: far), ["Copenhagen", "Malmö", "Oslo"])
    expect(
      try #require(GeoBox(bottomLeft: (55, 10), topRight: (60, 12.8))), ["Copenhagen", "Oslo"])
    expect(try #require(GeoBox(bottomLeft: (-20, 170), topRight: (0, -170))), ["Suva", "Apia"])
    let north = [(50.0, -30.0), (50.0, 20.0), (70.0, 20.0), (70.0, -30.0), (50.0, -30.0)]
    expect(
      try #require(GeoPolygon(outerRing: north)), ["Copenhagen", "Malmö", "Oslo", "Reykjavik"])
    let hole = [(58.0, 8.0), (58.0, 12.0), (61.0, 12.0), (61.0, 8.0), (58.0, 8.0)]
    expect(
      try #require(GeoPolygon(outerRing: north, holes: hole)),
      ["Copenhagen", "Malmö", "Reykjavik"])
    // Around the pole, which a map cannot show as a polygon.
    let south = [(-50.0, 0.0), (-50.0, 120.0), (-50.0, -120.0), (-50.0, 0.0)]
    expect(try #require(GeoPolygon(outerRing: south)), ["McMurdo"])
    // The same ring the other way round.
    expect(try #require(GeoPolygon(outerRing: Array(south.reversed()))), ["McMurdo"])
  }

  @Test func placesOfLinkedObjectsAreAskedFor() throws {
    let oslo = try #require(GeoBox(bottomLeft: (59, 10), topRight: (60, 11)))
    let found = realm.objects(Station.self).where { $0.next.place.geoWithin(oslo) }
    expectEqual(Array(found.map(\.name)), ["Nowhere"])
    expectEqual(realm.objects(Station.self).filter("next.place IN %@", oslo).count, 1)
  }

  @Test func whatIsNoShapeIsNil() {
    expectEqual(GeoPoint(latitude: 91, longitude: 0), nil)
    expectEqual(GeoPoint(latitude: 0, longitude: -181), nil)
    expectEqual(GeoPoint(latitude: 0, longitude: 0, altitude: -1), nil)
    expectEqual(GeoPoint(latitude: .nan, longitude: 0), nil)
    expectEqual(GeoBox(bottomLeft: (0, 0), topRight: (0, 200)), nil)
    expectEqual(GeoPolygon(outerRing: [(0, 0), (0, 1), (1, 1), (1, 0)]), nil)
    expectEqual(GeoPolygon(outerRing: [(0, 0), (0, 1), (0, 0)]), nil)
    expectEqual(GeoCircle(center: (0, 0), radiusInRadians: -1), nil)
    expectEqual(Distance.kilometers(-1), nil)
    expectTrue(abs((Distance.miles(1)?.asKilometers() ?? 0) - 1.609344) < 1e-12)
    expectTrue(abs((Distance.degrees(180)?.asRadians() ?? 0) - .pi) < 1e-12)
    expectTrue(abs((Distance.radians(1)?.asDegrees() ?? 0) - 57.29577951308232) < 1e-9)
  }

  @Test func theTextIsThatOfIn() throws {
    let shape = try #require(GeoBox(bottomLeft: (59, 10), topRight: (60, 11)))
    let query = Query<Station>._constructForTesting().place.geoWithin(shape)
    let (text, arguments) = query._constructPredicate()
    expectEqual(text, "(place IN %@)")
    expectEqual(arguments.first as? GeoBox, shape)
  }

  /// Polygons that no query takes, and what is said of them.
  private static let flawed: [(rings: [[(Double, Double)]], flaw: String)] = [
    (
      [
        [(0, 0), (0, 10), (10, 10), (10, 0), (0, 0)],
        [(20, 20), (20, 25), (25, 25), (25, 20), (20, 20)],
      ], "Secondary ring 1 not contained by first exterior ring"
    ),
    (
      [
        [(0, 0), (0, 10), (10, 10), (10, 0), (0, 0)], [(1, 1), (1, 9), (9, 9), (9, 1), (1, 1)],
        [(3, 3), (3, 5), (5, 5), (5, 3), (3, 3)],
      ], "Secondary ring 2 is nested in secondary ring 1"
    ),
    ([[(0, 0), (10, 10), (0, 10), (10, 0), (0, 0)]], "Ring 0 is not valid: Edges 0 and 2 cross"),
    ([[(0, 0), (5, 5), (0, 0), (5, 0), (0, 0)]], "Ring 0 is not valid: Duplicate edge"),
    (
      [[(0, 0), (0, 10), (10, 10), (0, 0)], [(0, 0), (0, 10), (10, 10), (0, 0)]],
      "Duplicate edge: ring 0, edge 0 and ring 1, edge 0"
    ),
    (
      [
        [(0, 0), (0, 10), (10, 10), (10, 0), (0, 0)], [(5, 5), (5, 15), (6, 15), (6, 5), (5, 5)],
      ], "Edges cross: ring 0, edge 1 and ring 1, edge 0"
    ),
  ]

  @Test func flawedPolygonsAreRefusedAtTheCall() async {
    await #expect(processExitsWith: .success) {
      for (rings, flaw) in Self.flawed {
        for isString in [false, true] {
          let text = Traps.text {
            let realm = try TemporaryRealm([Station.self, Place.self]).open()
            guard let shape = GeoPolygon(outerRing: rings[0], holes: Array(rings.dropFirst()))
            else { return }
            _ =
              isString
              ? realm.objects(Station.self).filter("place IN %@", shape)
              : realm.objects(Station.self).where { $0.place.geoWithin(shape) }
          }
          #expect(
            text.hasPrefix("Invalid region in GEOWITHIN query for parameter 'geoPolygon({["),
            "\(text)")
          expectTrue(text.contains("': '\(flaw)"), "\(text)")
        }
      }
    }
  }

  @Test func holesMayTouchTheirRing() throws {
    let outer = [(0.0, 0.0), (0.0, 10.0), (10.0, 10.0), (10.0, 0.0), (0.0, 0.0)]
    let hole = [(0.0, 0.0), (2.0, 4.0), (4.0, 2.0), (0.0, 0.0)]
    let shape = try #require(GeoPolygon(outerRing: outer, holes: hole))
    #expect(realm.objects(Station.self).where { $0.place.geoWithin(shape) }.isEmpty)
    #expect(shape.description.hasPrefix("geoPolygon({[0.0, 0.0], [10.0, 0.0], "))
  }

  @Test func dataOfAnotherFormAreRefused() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm([Formless.self, Wrong.self]).open()
      guard let shape = GeoBox(bottomLeft: (59, 10), topRight: (60, 11)) else { return }
      _ = realm.objects(Wrong.self).where { $0.place.geoWithin(shape) }
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      output.contains("Query 'place' links to data in the wrong format for a geoWithin query"),
      "\(output)")
  }
}
