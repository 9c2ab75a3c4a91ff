// SPDX-License-Identifier: Apache-2.0

// The integrity check: silent on good files, loud on each kind of damage.

import RealmStorage
import TestExtensions
import Testing

@testable import RealmTables

/// One way to damage a fixture, and the check that must notice.
struct Damage: Sendable, CustomTestStringConvertible {
  let check: Int
  let what: String
  let fixture: String
  let severity: CheckFinding.Severity
  let apply: @Sendable (FileImage) throws -> Void

  init(
    _ check: Int, _ what: String, fixture: String,
    severity: CheckFinding.Severity = .error,
    _ apply: @escaping @Sendable (FileImage) throws -> Void
  ) {
    self.check = check
    self.what = what
    self.fixture = fixture
    self.severity = severity
    self.apply = apply
  }

  var testDescription: String { "\(check): \(what)" }
}

@Suite("Integrity check of tables")
struct DatabaseCheckTests {
  @Test("finds nothing in files of Realm Core", arguments: Fixture.names)
  func goodFiles(name: String) throws {
    let findings = try FileImage(fixture: name).findings()
    expectTrue(findings.isEmpty, "\(findings.prefix(8))")
  }

  @Test(
    "notices damage", .heavy,
    arguments: Damage.ofSchema + Damage.ofClusters + Damage.ofObjects + Damage.ofValues
      + Damage.ofIndexes)
  func damage(_ damage: Damage) throws {
    let image = try FileImage(fixture: damage.fixture)
    try damage.apply(image)
    let findings = image.findings()
    #expect(
      findings.contains { $0.check == damage.check && $0.severity == damage.severity },
      "found \(findings.prefix(5))")
  }

  /// A leaf of zeros takes no bytes, whatever its count: reading it would take gigabytes.
  @Test("ends soon, whatever leaves claim")
  func leavesThatClaimMuchAreNotRead() throws {
    let image = try FileImage(fixture: "all-types")
    let claim = NodeHeader(flags: [], layout: .bits, widthCode: 0, count: 0xFF_FFFF)
    var editCount = 0
    for table in 0..<(try image.node([]).count) {
      let path = [table, TableSlot.clusters]
      guard let root = try? image.node(path), !root.header.isInner else { continue }
      for slot in 1..<max(root.count, 1) where try root.integer(at: slot) & 1 == 0 {
        try image.edit(path + [slot]) { _ in
          try image.allocator.allocate(claim, capacity: 0).ref
        }
        editCount += 1
      }
    }
    expectTrue(editCount > 20, "\(editCount)")
    let findings = image.findings()
    expectTrue(findings.contains { $0.message.contains("has 16777215 elements") })
  }
}
