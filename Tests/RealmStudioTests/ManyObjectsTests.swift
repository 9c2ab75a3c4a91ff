// SPDX-License-Identifier: Apache-2.0

// Files with many objects, a million in `.ci/run full`. What it costs is printed, not asserted.

#if Tools
import Foundation
import RealmStorage
import RealmFormats
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStudio

struct ManyObjectsTests {
  private static let count =
    Int(ProcessInfo.processInfo.environment["REALM_STUDIO_ROWS"] ?? "") ?? 100_000

  /// The rows of a window: their indexes, as the file was made.
  private func indexes(
    _ studio: TestStudio, _ figures: inout [String], _ name: String,
    _ parameters: [String: String]
  ) async throws -> [Int] {
    let begin = ContinuousClock.now
    let window = try await studio.get("rows", parameters.merging(["class": "Reading"]) { $1 })
    let time = begin.duration(to: .now) / .milliseconds(1)
    figures.append("\(name) \((time * 10).rounded() / 10) ms")
    return try #require(window["rows"]?.array).map {
      Int(TestStudio.text($0["cells"]?.array?[0] ?? .null)) ?? -1
    }
  }

  @Test func windowsOfManyObjectsAreRead() async throws {
    let count = Self.count
    var begin = ContinuousClock.now
    let studio = try await TestStudio { path in
      try SampleFile.makeReadings(path, count: count)
      begin = .now
    }
    _ = try await studio.get("schema")
    let opened = begin.duration(to: .now) / .milliseconds(1)
    var figures = ["opened in \((opened * 10).rounded() / 10) ms"]
    for start in [0, count / 2, count - 100] {
      let found = try await indexes(
        studio, &figures, "window at \(start)", ["start": "\(start)"])
      expectEqual(found, Array(start..<start + 100))
    }
    let sorted = ["sort": "at", "descending": "true"]
    for (name, start) in [("sorted", 0), ("window of it", count / 2), ("last of it", count - 100)] {
      let found = try await indexes(
        studio, &figures, name, sorted.merging(["start": "\(start)"]) { $1 })
      expectEqual(found, (count - start - 100..<count - start).reversed())
    }
    let half = "index >= \(count / 2)"
    for (name, start) in [("filtered", 0), ("window of it", count / 4)] {
      let found = try await indexes(
        studio, &figures, name, ["query": half, "start": "\(start)"])
      expectEqual(found, Array(count / 2 + start..<count / 2 + start + 100))
    }
    let chartBegin = ContinuousClock.now
    let chart = try await studio.get("histogram", ["class": "Reading", "property": "index"])
    expectEqual(chart["counts"]?.array?.count, 40)
    figures.append("chart \(Int(chartBegin.duration(to: .now) / .milliseconds(1))) ms")
    print("Studio, \(count) objects: \(figures.joined(separator: ", "))")
  }
}
#endif
