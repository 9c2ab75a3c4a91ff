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
}
