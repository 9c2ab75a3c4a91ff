// SPDX-License-Identifier: Apache-2.0

// The scan of the type records finds every class there is below a root, and only those.

import TestExtensions
import Testing

@testable import RealmSwift

private class DiscoveryRoot {}
private class DiscoveredDirectly: DiscoveryRoot {}
private final class DiscoveredBelow: DiscoveredDirectly {}
private class DiscoveryGenericMiddle<Value>: DiscoveryRoot {}
private final class DiscoveredBelowGeneric: DiscoveryGenericMiddle<Int> {}
private class DiscoveryStranger {}
private final class DiscoveryStrangerBelow: DiscoveryStranger {}

private enum DiscoveryNamespace {
  struct Inner {
    fileprivate final class DiscoveredNested: DiscoveryRoot {}
  }
}

// Never mentioned again, anywhere.
private final class DiscoveredNeverMentioned: DiscoveryRoot {}

struct TypeRecordsTests {
  private func names(below root: AnyClass) -> [String] {
    TypeRecords().subclasses(of: root).map { String(describing: $0) }.sorted()
  }

  @Test func findsPrivateNestedLocalAndNeverMentionedClasses() {
    final class DiscoveredLocal: DiscoveryRoot {}
    let expected = [
      "DiscoveredBelow", "DiscoveredBelowGeneric", "DiscoveredDirectly", "DiscoveredLocal",
      "DiscoveredNested", "DiscoveredNeverMentioned",
    ]
    expectEqual(names(below: DiscoveryRoot.self), expected)
  }

  @Test func aClassIsNotBelowItself() {
    expectEqual(names(below: DiscoveredDirectly.self), ["DiscoveredBelow"])
    expectTrue(names(below: DiscoveredBelow.self).isEmpty)
  }

  @Test func whatIsFoundIsTheClassItself() {
    let found = TypeRecords().subclasses(of: DiscoveryStranger.self)
    expectEqual(found.count, 1)
    expectTrue(found.first == DiscoveryStrangerBelow.self)
  }

  /// `ModelClasses` 1.
  @Test func theCountOfRecordsIsStableWhileNothingIsLoaded() {
    let records = TypeRecords()
    expectTrue(records.areAvailable)
    expectTrue(records.count > 100)
    expectEqual(TypeRecords().count, records.count)
  }
}
