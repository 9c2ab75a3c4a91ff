// SPDX-License-Identifier: Apache-2.0

// The program that shows how the changes of two devices merge.

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

struct TwoDevicesTests {
  private final class Marker {}

  /// The program, which is built where the tests are.
  private static var program: URL {
    #if canImport(Darwin)
    let tests = Bundle(for: Marker.self).bundleURL
    #else
    let tests = URL(fileURLWithPath: CommandLine.arguments[0])
    #endif
    return tests.deletingLastPathComponent().appendingPathComponent("realm-two-devices")
  }

  /// Runs the program; its output and exit code.
  private static func run() throws -> (text: String, code: Int32) {
    let run = try SpawnedProgram.run(program.path)
    return (run.output, run.status)
  }

  @Test func saysWhatCameOfEachConflict() throws {
    let (text, code) = try Self.run()
    expectEqual(code, 0, "\(text)")
    for line in [
      "   A at 10:05  sets the title                      Alps by train",
      "   B at 10:03  sets the title                      Alps by bus",
      "   both now    Alps by train", "   both now    5",
      "   both now    tent, boots, lamp", "   both now    Basel, Bern, Chur, Davos",
      "   both now    beds 200, food 40, train 95", "   both now    family, hiking, snow",
      "   both now    Krone 12", "   both now    Adler 3", "   both now    Cleo",
      "   both now    deleted", "   both now    Dora B., phone 777",
      "   rule        Counters add: 4 + 2 - 1. Both changes count, in any order.",
      "A, B and the server have the same content.",
    ] {
      expectTrue(text.contains("\n" + line + "\n"), "\(line)")
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.count <= 80 && $0.last != " " })
  }

  @Test func saysTheSameEachTime() throws {
    #expect(try Self.run() == Self.run())
  }
}
