// SPDX-License-Identifier: Apache-2.0

// Conditions on positions on the earth.

import RealmStorage
import RealmTables

/// Whether the position that a path leads to is in a region.
///
/// A position is an embedded object with the type "Point" and the coordinates: longitude, latitude.
struct GeoCondition: Condition {
  let steps: [ValueReader.Step]
  let type: Column
  let coordinates: Column
  let region: GeoRegion

  /// - Throws: `QueryError.invalid` if the path does not lead to objects of that form.
  init(
    _ path: ColumnPath, _ region: GeoRegion, in table: Table, of source: any TableReader
  ) throws(QueryError) {
    let (steps, target) = try PathResolver(path: path, source: source).objects(from: table)
    guard target.schema.kind == .embedded else {
      throw .invalid(
        "A GEOWITHIN query can only operate on a link to an embedded class but "
          + "'\(target.className)' is at the top level")
    }
    guard let type = target.schema.column(named: "type"), type.type == .string,
      type.collection == .none, let coordinates = target.schema.column(named: "coordinates"),
      coordinates.type == .double, coordinates.collection == .list
    else {
      throw .invalid(
        "Query '\(path.text)' links to data in the wrong format for a geoWithin query")
    }
    self.steps = steps
    self.type = type
    self.coordinates = coordinates
    self.region = region
  }

  func matches(_ row: Row, _ plan: QueryPlan) throws(StorageError) -> Bool {
    try ValueReader.visit(steps, row) { (place) throws(StorageError) in
      guard let place, try place.string(type.leafIndex) == "Point" else { return false }
      let list = try place.list(coordinates)
      guard list.count >= 2, case .double(let longitude) = try list.mixedValue(at: 0),
        case .double(let latitude) = try list.mixedValue(at: 1)
      else { return false }
      return region.contains(GeoRegion.Point(latitude: latitude, longitude: longitude))
    }
  }
}
