// SPDX-License-Identifier: Apache-2.0

// Random schedules of devices with roles, compared with the model.

import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport
import Testing

@testable import RealmServerEngine

/// One schedule of writes, sessions, lost messages, restarts, and changes of roles and users.
struct RoleRun {
  let seed: UInt64
  private var random: SeededGenerator
  private var draw: RoleDraw
  private var roles: JSONValue?
  private let server: RoleServer
  private var devices: [RoleDevice] = []
  private var customData: [String: [String: JSONValue]] = [:]
  /// The rules of each session that is open, by device.
  private var sessionModels: [Int: RoleModel?] = [:]
  private let fault: RoleModel.Fault?
  /// What differs from the model.
  private(set) var differences: [String] = []
  /// How often each verdict was compared.
  private(set) var verdicts: [RoleModel.Verdict: Int] = [:]

  init(seed: UInt64, fault: RoleModel.Fault? = nil) async throws {
    self.seed = seed
    self.fault = fault
    random = SeededGenerator(seed: seed)
    draw = RoleDraw(random: SeededGenerator(seed: ~seed))
    roles = draw.roles()
    let isSmall = random.percent(30)
    server = try RoleServer(
      roles,
      limits: isSmall
        ? SessionLimits(bootstrapByteCount: 64, roundByteCount: 64) : SessionLimits())
    for number in 0..<4 {
      let user = "u\(number % 3 + 1)"
      if number < 3 { try changeUser(user) }
      devices.append(try await RoleDevice.make(user, on: server))
      devices[number].want(draw.queries())
    }
  }

  private mutating func changeUser(_ user: String) throws {
    customData[user] = draw.customData()
    try server.setCustomData(customData[user] ?? [:], of: user)
  }

  private func note(_ text: String) {
    if ConvergenceSeeds.isTraced { print(text) }
  }

  // MARK: Steps

  mutating func play(steps: Int = 60) async throws {
    for _ in 0..<steps {
      // What follows of a run with a planted fault would show nothing more.
      if fault != nil, !differences.isEmpty { return }
      let number = random.number(below: devices.count)
      server.advance(UInt64(random.number(below: 40)))
      switch random.number(below: 20) {
      case 0: try await restart()
      case 1: try changeUser(devices[number].user)
      case 2: await disconnect(number)
      case 3: devices[number].want(draw.queries())
      case 4...6: try write(number)
      case 7...8: try await uploadSome(number)
      case 9...11: try await download(number)
      default: try await compare(number)
      }
    }
  }

  private mutating func restart() async throws {
    note("the server restarts")
    for (number, device) in devices.enumerated() {
      device.loseServer()
      sessionModels[number] = nil
    }
    if random.percent(60) { roles = random.percent(15) ? nil : draw.roles() }
    try server.restart(roles: roles)
  }

  private mutating func connect(_ number: Int) async throws {
    let device = devices[number]
    guard !device.isOnline else { return }
    sessionModels[number] = .some(
      roles.map {
        RoleModel(
          roles: $0, user: device.user, customData: customData[device.user] ?? [:], fault: fault)
      })
    let model = sessionModels[number] ?? nil
    device.expectsRefusal = { RoleDraw.isRefused($0, model) }
    try await device.connect()
    note(
      "device \(number) of \(device.user) connects at \(device.client.cursor) with "
        + "\(device.active), \(customData[device.user] ?? [:]) and "
        + "\(roles.map { JSONWriter.text($0) } ?? "no roles")")
  }

  private mutating func disconnect(_ number: Int) async {
    await devices[number].disconnect()
    sessionModels[number] = nil
  }

  private mutating func write(_ number: Int) throws {
    let device = devices[number]
    let steps = try self.steps(of: device)
    note("device \(number) writes \(steps)")
    try device.write(steps)
  }

  /// Changes of a transaction, one for each object at most.
  private mutating func steps(of device: RoleDevice) throws -> [RoleObjects.Step] {
    let known = try device.objects()
    var steps: [RoleObjects.Step] = []
    for _ in 0..<1 + random.number(below: 3) {
      let step = RoleObjects.step(known, linkable: RoleLinks.linkable(steps, known), &random)
      guard RoleLinks.fits(step, steps, known) else { continue }
      steps.append(step)
    }
    return steps
  }

  private mutating func download(_ number: Int) async throws {
    try await connect(number)
    let device = devices[number]
    let arrives = !random.percent(15)
    try await device.download(arrives: arrives)
    note("device \(number) downloads to \(device.client.cursor), arrives: \(arrives)")
    if !device.isOnline { sessionModels[number] = nil }
  }

  // MARK: Uploads beside others

  /// Uploads what may be merged with the changes of others. Nothing may change that the user may
  /// not write.
  private mutating func uploadSome(_ number: Int) async throws {
    try await connect(number)
    let device = devices[number]
    let before = try await objects()
    note("device \(number) uploads")
    try await device.upload(limit: random.pick([1, 2, .max]))
    guard let model = sessionModels[number] ?? nil else { return }
    let after = try await objects()
    for name in RoleObjects.classes {
      let (old, new) = (before[name] ?? [:], after[name] ?? [:])
      for key in Set(old.keys).union(new.keys) where old[key] != new[key] {
        guard !isAllowed(old[key], new[key], ofClass: name, model) else { continue }
        differ(
          "\(name) \(key) was changed by \(device.user) from \(old[key] ?? [:]) to "
            + "\(new[key] ?? [:])")
      }
    }
  }

  /// Whether allowed changes may lead from one state to another.
  private func isAllowed(
    _ old: ModelObject?, _ new: ModelObject?, ofClass name: String, _ model: RoleModel
  ) -> Bool {
    let fields = Set(RoleObjects.fields.filter { old?[$0] != new?[$0] })
    let verdicts = [false, true].map { isErased in
      model.verdict(
        old, new, new == nil ? [] : isErased ? Set(RoleObjects.fields) : fields,
        isErased: isErased, ofClass: name
      ) { _ in true }
    }
    if old == nil { return verdicts[0] == .allowed }
    return new == nil ? verdicts[1] == .allowed : verdicts.contains(.allowed)
  }

  private func objects() async throws -> [String: [String: ModelObject]] {
    var objects: [String: [String: ModelObject]] = [:]
    for name in RoleObjects.classes {
      objects[name] = try await server.objects(ofClass: name)
    }
    return objects
  }

  // MARK: Comparing

  /// Brings a device to the head, and then lets it write without others. Compares what it sees, and
  /// what becomes of each change.
  private mutating func compare(_ number: Int) async throws {
    try await connect(number)
    let device = devices[number]
    try await device.upload()
    try await device.downloadAll()
    try await compareView(number)
    var expected = try await objects()
    var refused: [String: RoleModel.Verdict] = [:]
    var seen: Set<String> = []
    var (firstRooms, firstFriends) = ([String: Int](), [String: Int]())
    for _ in 0..<1 + random.number(below: 3) {
      let steps = try self.steps(of: device)
      let unlinking = RoleLinks.unlinking(steps, try device.objects())
      for var step in steps + unlinking {
        let name = "\(step.className) \"\(step.key)\""
        if step.isErased {
          (firstRooms[name], firstFriends[name]) = (0, 0)
        } else if step.makes {
          let there = expected[step.className]?[step.key]
          firstRooms[name] = there?["rooms"]?.array?.count ?? 0
          firstFriends[name] = there?["friends"]?.array?.count ?? 0
        }
        (step.firstRoom, step.firstFriend) = (firstRooms[name] ?? 0, firstFriends[name] ?? 0)
        if fault == .deletedLinksStay { (step.unlinked, step.unlinkedFields) = ([], []) }
        if fault == .incrementsAreLost { step.increments = [:] }
        decide(step, of: number, &expected, &refused, &seen)
      }
      note("device \(number) writes alone \(steps)")
      try device.write(steps)
    }
    let reports = try await device.upload()
    let found = try await objects()
    if found != expected {
      differ("after writes of \(device.user): \(lines(found, expected))")
    }
    var reported: [String: RoleModel.Verdict] = [:]
    for update in reports.flatMap(\.updates) {
      reported["\(update.table) \(update.key)"] =
        update.reason.hasSuffix("; object is outside of the current query view")
        ? .isOutsideOfView : .refused
    }
    if reported != refused { differ("reported \(reported), expected \(refused)") }
    try await device.downloadAll()
    try await compareView(number)
  }

  /// Applies a change to the expected objects, if it is allowed.
  ///
  /// - Parameter seen: Objects that earlier changes found in the view.
  private mutating func decide(
    _ step: RoleObjects.Step, of number: Int, _ expected: inout [String: [String: ModelObject]],
    _ refused: inout [String: RoleModel.Verdict], _ seen: inout Set<String>
  ) {
    let name = "\(step.className) \"\(step.key)\""
    let before = expected[step.className]?[step.key]
    let step = withoutHiddenInitials(step, number)
    // What follows a refused change is refused with it.
    guard refused[name] == nil else { return }
    let after = step.applied(to: before)
    let fields = changedFields(of: step, before, number)
    guard before != nil || after != nil, step.makes || step.isErased || !fields.isEmpty else {
      return
    }
    let subscriptions = devices[number].subscriptions
    let model = sessionModels[number] ?? nil
    // A device that makes an object without seeing that of the server changes its embedded one.
    let isMerged = step.makes && !step.isErased && before != nil
    func isInView(_ object: ModelObject) -> Bool {
      subscriptions.contains { RoleDraw.hold($0, object, ofClass: step.className, model) }
    }
    let verdict =
      model?.verdict(
        before, after, fields, nested: step.nestedPaths,
        replaced: step.values["home"] == nil || isMerged ? [] : ["home"], isErased: step.isErased,
        ofClass: step.className
      ) { before != nil && seen.contains(name) || isInView($0) } ?? .allowed
    for object in [before, after] {
      if let object, isInView(object) { seen.insert(name) }
    }
    verdicts[verdict, default: 0] += 1
    if verdict == .allowed {
      expected[step.className]?[step.key] = after
    } else {
      refused[name] = verdict
    }
  }

  /// A step without hidden properties with the values of new objects, where it makes the object:
  /// these replace nothing.
  private func withoutHiddenInitials(_ step: RoleObjects.Step, _ number: Int) -> RoleObjects.Step {
    guard let model = sessionModels[number] ?? nil else { return step }
    var step = step
    for path in step.nestedPaths {
      // Where an embedded object is made, initial values are left out in all of the property.
      let name = path.joined(separator: ".")
      if step.values[path[0]] != nil, step.values[name] == .string(""),
        model.hides(path, ofClass: step.className)
      {
        step.values[name] = nil
      }
    }
    guard step.makes else { return step }
    step.values = step.values.filter { (field, value) in
      value != RoleObjects.initial[field] || !model.hides(field: field, ofClass: step.className)
    }
    return step
  }

  /// The properties that a step records: an element that a set has already is not inserted. A
  /// device that makes an object does not see the one of the server, nor a set that is hidden.
  private func changedFields(
    of step: RoleObjects.Step, _ before: ModelObject?, _ number: Int
  ) -> Set<String> {
    var fields = step.fields
    let model = sessionModels[number] ?? nil
    if !step.isErased, !step.makes, let tag = step.values["tags"],
      model?.hides(field: "tags", ofClass: step.className) != true,
      before?["tags"]?.array?.contains(tag) == true
    {
      fields.remove("tags")
    }
    return fields
  }

  /// Compares what a device has with what its user may read of its subscriptions.
  private mutating func compareView(_ number: Int) async throws {
    let device = devices[number]
    let model = sessionModels[number] ?? nil
    let all = try await objects()
    var expected: [String: [String: ModelObject]] = [:]
    for name in RoleObjects.classes {
      expected[name] = (all[name] ?? [:]).filter { (_, object) in
        RoleDraw.hold(device.active, object, ofClass: name, model)
          && (model?.mayRead(object, ofClass: name) ?? true)
      }.mapValues { model?.visiblePart(of: $0, ofClass: name) ?? $0 }
      if fault == .missingLinksAreNull {
        let targets = all[RoleObjects.friends(ofClass: name)] ?? [:]
        expected[name] = expected[name]?.mapValues { object in
          var object = object
          if let key = object["friend"]?.string, targets[key] == nil { object["friend"] = .null }
          return object
        }
      }
    }
    let found = try device.objects()
    if found != expected {
      differ(
        "device \(number) of \(device.user) with \(device.active) has \(lines(found, expected))")
    }
  }

  private func lines(
    _ found: [String: [String: ModelObject]], _ expected: [String: [String: ModelObject]]
  ) -> [String] {
    RoleObjects.classes.flatMap { name in
      let (found, expected) = (found[name] ?? [:], expected[name] ?? [:])
      return Set(found.keys).union(expected.keys).sorted().compactMap { key in
        found[key] == expected[key]
          ? nil
          : "\(name) \(key): \(found[key].map { "\($0)" } ?? "none") instead of "
            + "\(expected[key].map { "\($0)" } ?? "none")"
      }
    }
  }

  private mutating func differ(_ text: String) {
    note("DIFFERENCE \(text)")
    differences.append(text)
  }

  // MARK: The end

  /// Lets each device upload and download everything, and compares what it has.
  mutating func settle() async throws {
    for number in devices.indices {
      try await connect(number)
      try await devices[number].upload()
    }
    for number in devices.indices {
      try await devices[number].downloadAll()
      try await compareView(number)
    }
    for error in server.errors.withLock({ $0 }) { differ("\(error)") }
  }
}
