// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Functions in Rust that call the host.
extension PluginTemplates.Rust {
    /// The second part of the template of `src/bgtask.rs`: functions that call the host.
    static let functions = #"""
        /// Submits a refresh request. The error is the refusal.
        pub unsafe fn submit_refresh(
            host: *const Host,
            identifier: *const c_char,
            earliest_begin_ns: i64,
        ) -> Result<(), Refusal> {
            submit_request(host, KIND_REFRESH, 0, identifier, earliest_begin_ns)
        }

        /// Submits a request of this kind with these flags, NEEDS_... or 0. The error is the refusal.
        pub unsafe fn submit_request(
            host: *const Host,
            kind: u32,
            flags: u32,
            identifier: *const c_char,
            earliest_begin_ns: i64,
        ) -> Result<(), Refusal> {
            let mut request: Request = std::mem::zeroed();
            request.size = size_of::<Request>() as u32;
            request.kind = kind;
            request.flags = flags;
            request.identifier = identifier;
            request.earliest_begin_ns = earliest_begin_ns;
            let mut refusal: Refusal = std::mem::zeroed();
            refusal.size = size_of::<Refusal>() as u32;
            match ((*host).submit)(host, &request, &mut refusal) {
                OK => Ok(()),
                _ => Err(refusal),
            }
        }

        /// Copies a value with a function that takes buffer, capacity and needed size, as `container_path` and `setting` do.
        unsafe fn copied(read: impl Fn(*mut c_char, u64, *mut u64) -> i32) -> Option<CString> {
            let mut needed = 0;
            read(std::ptr::null_mut(), 0, &mut needed);
            let mut bytes = vec![0u8; needed as usize];
            if read(bytes.as_mut_ptr() as *mut c_char, needed, &mut needed) != OK {
                return None;
            }
            bytes.truncate(bytes.iter().position(|byte| *byte == 0)?);
            CString::new(bytes).ok()
        }

        /// The value of a setting; None when neither the operator nor the manifest has the key.
        pub unsafe fn setting(host: *const Host, key: *const c_char) -> Option<CString> {
            copied(|buffer, capacity, needed| ((*host).setting)(host, key, buffer, capacity, needed))
        }

        /// The directory of the plugin, which stays between launches.
        pub unsafe fn container_path(host: *const Host) -> Option<CString> {
            copied(|buffer, capacity, needed| ((*host).container_path)(host, buffer, capacity, needed))
        }

        /// The type of an event, BGT_EVENT_...; 0 when the task is no event.
        pub unsafe fn event_type(host: *const Host, task: Task) -> u32 {
            let mut info: TaskInfo = std::mem::zeroed();
            info.size = size_of::<TaskInfo>() as u32;
            match ((*host).task_info)(host, task, &mut info) {
                OK => info.event,
                _ => 0,
            }
        }

        pub unsafe fn complete(host: *const Host, task: Task, outcome: i32, message: *const c_char) {
            ((*host).complete)(host, task, outcome, message);
        }
        """#
}
