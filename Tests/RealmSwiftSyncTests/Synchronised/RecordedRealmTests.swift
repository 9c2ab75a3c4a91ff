// SPDX-License-Identifier: Apache-2.0

// Every write through the public API of a synchronised file is recorded.

#if Sync
import Foundation
import RealmSession
import RealmStorage
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct RecordedRealmTests {
  @Test func aNewFileRecordsItsClasses() throws {
    let synced = try SynchronisedRealm()
    _ = try synced.open()
    let lines = try synced.lines()
    expectEqual(lines.filter { $0.hasPrefix("AddTable") }.count, 4)
    expectEqual(lines.filter { $0.hasPrefix("AddColumn") }.count, 40)
    try synced.expectReplayIsEqual()
  }

  @Test func aCopyOfEveryKindOfPropertyIsRecorded() throws {
    let synced = try SynchronisedRealm()
    let realm = try synced.open()
    try realm.write {
      let other = SharedTask(value: ["_id": 2])
      let task = SharedTask(value: ["_id": 1, "title": "all"])
      task.isDone = true
      task.small = -7
      task.weight = 1.5
      task.token = UUID()
      task.note = "optional"
      task.limit = 4
      task.due = Date(timeIntervalSince1970: 5)
      task.state = .busy
      task.height = Centimetres(9)
      task.anything = .fromDictionary(["a": .fromArray([.int(1), .none]), "b": .object(other)])
      task.texts.append(objectsIn: ["x", "y"])
      task.numbers.append(objectsIn: [1, nil, 3])
      task.values.append(objectsIn: [.string("s"), .fromArray([.bool(true)]), .object(other)])
      task.tags.insert(objectsIn: ["t", "u"])
      task.states.insert(.done)
      task.counts["one"] = 1
      task.settings["deep"] = .fromDictionary(["k": .double(2)])
      task.parent = other
      task.following.append(objectsIn: [other, task, other])
      task.related.insert(other)
      task.named["n"] = other
      task.named["none"] = .some(nil)
      task.remark = SharedRemark(value: ["text": "said"])
      task.place = SharedPlace(value: ["street": "s", "inner": ["street": "i"]] as [String: Any])
      task.steps.append(objectsIn: [SharedPlace(), SharedPlace(value: ["number": 8])])
      task.places["p"] = SharedPlace(value: ["rooms": ["r1", "r2"]])
      realm.add(task)
    }
    try synced.expectReplayIsEqual()
    let task = try #require(realm.object(ofType: SharedTask.self, forPrimaryKey: 1))
    let lines = try synced.lines {
      try realm.write {
        task.title = "changed"
        task.texts.move(from: 0, to: 1)
        task.counts["one"] = nil
        task.steps[0].street = "inside"
        task.place?.inner?.rooms.append("room")
        task.remark?.text = "other"
        task.setValue(6, forKey: "priority")
      }
    }
    expectEqual(lines.count, 7)
    expectEqual(lines.first, "Update \"SharedTask\"[int(1)].\"title\" = string \"changed\" prior 0")
    try synced.expectReplayIsEqual()
  }

  @Test func deletedObjectsAndTheirLinksAreRecorded() throws {
    let synced = try SynchronisedRealm()
    let realm = try synced.open()
    try realm.write {
      for id in 0..<4 { realm.add(SharedTask(value: ["_id": id])) }
      let tasks = realm.objects(SharedTask.self)
      tasks[0].parent = tasks[1]
      tasks[0].following.append(objectsIn: [tasks[1], tasks[2]])
      tasks[3].named["k"] = tasks[1]
    }
    try realm.write {
      realm.delete(realm.objects(SharedTask.self).where { $0._id == 1 })
    }
    try synced.expectReplayIsEqual()
    try realm.write { realm.deleteAll() }
    try synced.expectReplayIsEqual()
  }

  @Test func dynamicObjectsAreRecorded() throws {
    let synced = try SynchronisedRealm()
    let realm = try synced.open()
    let lines = try synced.lines {
      try realm.write {
        let object = realm.dynamicCreate("SharedTask", value: ["_id": 5, "title": "dynamic"])
        object["limit"] = 3
        object.dynamicList("following").append(object)
      }
    }
    expectTrue(lines.contains("CreateObject \"SharedTask\"[int(5)]"))
    expectEqual(lines.suffix(2).first, "Update \"SharedTask\"[int(5)].\"limit\" = int(3) prior 0")
    try synced.expectReplayIsEqual()
  }

  @Test func aCancelledWriteRecordsNothing() throws {
    struct Stop: Error {}
    let synced = try SynchronisedRealm()
    let realm = try synced.open()
    let lines = try synced.lines {
      realm.beginWrite()
      realm.add(SharedTask(value: ["_id": 1]))
      realm.cancelWrite()
      #expect(throws: Stop.self) {
        try realm.write {
          realm.add(SharedTask(value: ["_id": 2]))
          throw Stop()
        }
      }
      try realm.write { realm.add(SharedRemark(value: ["text": "kept"])) }
    }
    expectEqual(lines.count, 2)
    expectTrue(realm.objects(SharedTask.self).isEmpty)
    try synced.expectReplayIsEqual()
  }

  /// Each transaction of a group that reaches the disk at once is an entry of its own.
  @Test @MainActor func asynchronousWritesAreRecorded() async throws {
    let synced = try SynchronisedRealm()
    let realm = try await Realm.open(configuration: synced.configuration)
    let before = try synced.recorded().count
    await withCheckedContinuation { done in
      for id in 0..<5 {
        realm.beginAsyncWrite {
          realm.add(SharedTask(value: ["_id": id]))
          realm.commitAsyncWrite(allowGrouping: id < 4) { _ in
            if id == 4 { done.resume() }
          }
        }
      }
    }
    try expectEqual(synced.recorded().count, before + 5)
    try await realm.asyncWrite { realm.objects(SharedTask.self).first?.title = "a" }
    let version = try synced.file().snapshot().version
    await withCheckedContinuation { done in
      realm.beginAsyncWrite {
        realm.add(SharedTask(value: ["_id": 9]))
        realm.cancelWrite()
        done.resume()
      }
    }
    #expect(try synced.recorded(after: version).isEmpty)
    try expectEqual(synced.recorded().count, before + 6)
    try synced.expectReplayIsEqual()
  }

  @Test func writesOfEveryRealmOfTheFileAreRecorded() async throws {
    let synced = try SynchronisedRealm()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in 0..<8 {
        group.addTask {
          try await Realm.write(to: synced.configuration) { realm in
            realm.add(SharedTask(value: ["_id": id, "title": "\(id)"]))
          }
        }
      }
      try await group.waitForAll()
    }
    try expectEqual(synced.lines().filter { $0.hasPrefix("CreateObject") }.count, 8)
    try synced.expectReplayIsEqual()
  }

  @Test func localFilesHaveNoRecorder() throws {
    let local = try SynchronisedRealm(history: .inFile)
    let realm = try local.open()
    try realm.write {
      realm.add(SharedTask(value: ["_id": 1]))
      expectTrue(realm.core.transaction?.recorder == nil)
      expectTrue(realm.core.transaction?.beforeCommit == nil)
    }
    #expect(try local.file().snapshot().syncHistory() == nil)
    #expect(throws: Realm.Error.self) {
      realm.invalidate()
      _ = try Realm(configuration: SynchronisedRealm.other(local.configuration))
    }
  }
}

extension SynchronisedRealm {
  /// The configuration with the other kind of history.
  static func other(_ configuration: Realm.Configuration) -> Realm.Configuration {
    var other = configuration
    other.synchronisation = configuration.isSynchronised ? nil : RecordedFile()
    return other
  }
}
#endif
