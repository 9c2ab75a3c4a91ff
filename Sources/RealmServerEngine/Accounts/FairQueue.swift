// SPDX-License-Identifier: Apache-2.0

// A queue that one lane cannot fill for the others.
//
// Invariants:
// 1. The lanes take turns: a job waits for one of each other lane at most before the next of its
//    own.
// 2. There are at most so many jobs. If one comes when there is no room, the last of the longest
//    lane goes, or the new one if its own lane is the longest.

/// Jobs in lanes that take turns.
struct FairQueue<Job> {
  private let countMax: Int
  private var lanes: [String: [Job]] = [:]
  /// The lanes that have jobs, the next one first.
  private var turns: [String] = []
  private(set) var count = 0

  init(countMax: Int) { self.countMax = countMax }

  /// Adds a job. Returns the one for which there is no room.
  mutating func append(_ job: Job, _ lane: String) -> Job? {
    var refused: Job?
    if count >= countMax {
      let own = lanes[lane]?.count ?? 0
      guard let longest = lanes.max(by: { $0.value.count < $1.value.count }),
        longest.value.count > own + 1
      else { return job }
      // The lane keeps jobs, so it keeps its turn.
      refused = lanes[longest.key]?.popLast()
      count -= 1
    }
    if lanes[lane] == nil { turns.append(lane) }
    lanes[lane, default: []].append(job)
    count += 1
    return refused
  }

  /// Takes the next job.
  mutating func next() -> Job? {
    guard !turns.isEmpty else { return nil }
    let lane = turns.removeFirst()
    guard var jobs = lanes[lane], !jobs.isEmpty else { return nil }
    let job = jobs.removeFirst()
    count -= 1
    lanes[lane] = jobs.isEmpty ? nil : jobs
    if !jobs.isEmpty { turns.append(lane) }
    return job
  }
}
