// SPDX-License-Identifier: Apache-2.0

// Points, distances and regions as values.

import TestExtensions
import Testing

@testable import RealmSwift

struct GeoSurfaceTests {
  @Test func distancesHaveSeveralUnits() throws {
    let distance = try #require(Distance.kilometers(6378.1))
    expectTrue(abs(distance.radians - 1) < 1e-3)
    expectEqual(distance.asRadians(), distance.radians)
    expectTrue(abs(distance.asKilometers() - 6378.1) < 1e-6)
    expectTrue(abs(distance.asMiles() - 3963.17) < 0.1)
    expectTrue(abs(distance.asDegrees() - distance.radians * 180 / .pi) < 1e-9)
    #expect(abs(try #require(Distance.miles(1)).asKilometers() - 1.609344) < 1e-3)
    expectEqual(Distance.degrees(180)?.radians, .pi)
    expectTrue(Distance.radians(-1) == nil)
  }

  @Test func pointsHaveThreeCoordinates() throws {
    let point = try #require(GeoPoint((10, 20)))
    expectEqual(point.latitude, 10)
    expectEqual(point.longitude, 20)
    expectEqual(point.altitude, 0)
    expectEqual(GeoPoint(latitude: 10, longitude: 20), point)
    expectEqual(GeoPoint(latitude: 10, longitude: 20, altitude: 5)?.altitude, 5)
    expectTrue(GeoPoint((91, 0)) == nil)
    expectTrue(GeoPoint(latitude: 0, longitude: 181) == nil)
  }

  @Test func regionsAreMadeOfPointsAndPairs() throws {
    let (low, high) = (try #require(GeoPoint((0, 0))), try #require(GeoPoint((2, 3))))
    let box = GeoBox(bottomLeft: low, topRight: high)
    expectEqual(box, GeoBox(bottomLeft: (0, 0), topRight: (2, 3)))
    expectEqual(box.bottomLeft, low)
    expectEqual(box.topRight, high)
    let ring = [(0.0, 0.0), (0.0, 4.0), (4.0, 4.0), (0.0, 0.0)]
    let hole = [(1.0, 2.0), (1.0, 3.0), (2.0, 3.0), (1.0, 2.0)]
    let points = try ring.map { try #require(GeoPoint($0)) }
    let holePoints = try hole.map { try #require(GeoPoint($0)) }
    let polygon = try #require(GeoPolygon(outerRing: points, holes: [holePoints]))
    expectEqual(polygon.outerRing, points)
    expectEqual(polygon.holes, [holePoints])
    expectEqual(polygon, GeoPolygon(outerRing: points, holes: holePoints))
    expectEqual(polygon, GeoPolygon(outerRing: ring, holes: [hole]))
    expectEqual(polygon, GeoPolygon(outerRing: ring, holes: hole))
    let circle = try #require(GeoCircle(center: (1, 2), radiusInRadians: 0.5))
    expectEqual(circle.center, GeoPoint((1, 2)))
    expectEqual(circle.radiusInRadians, 0.5)
    let radius = try #require(Distance.radians(0.5))
    expectEqual(circle, GeoCircle(center: (1, 2), radius: radius))
    expectEqual(GeoCircle(center: circle.center, radius: radius), circle)
    expectEqual(GeoCircle(center: circle.center, radiusInRadians: -1), nil)
  }
}
