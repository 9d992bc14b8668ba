# SPDX-License-Identifier: MIT
# For instructors: grading a class, exports, autograders. Included by the Makefile.

# A class is judged on the simulator unless a GPU is asked for: the simulator needs none, says the same each time, and
# cannot be talked to by what it judges.
class_lessons = $(if $(LESSONS),$(filter $(foreach l,$(subst $(comma), ,$(LESSONS)),$(l) $(l)-% 0$(l)-%),$(lessons)),$(lessons))
comma := ,
# All that grading needs of the lessons that are graded (LESSONS="03 06"; without it, all), for a machine that does nothing else.
.PHONY: grade-ready
grade-ready: $(programs) $(toolchain) $(B)/bin/batch $(B)/bin/exports $$(foreach l,$$(class_lessons),$$(call lesson_files,$$(l)))
## grade: grade a class (SUBMISSIONS=folder-or-archive LESSONS="03 06" OUT=grades RUBRIC= ROSTER= TIMES= ENGINE=slurm NO_SANDBOX=1 TIME_LIMIT=s BACKEND=sim|cuda|both)
.PHONY: grade
grade: grade-ready $$(if $$(filter cuda both,$$(BACKEND)),$$(foreach l,$$(class_lessons),$$(call gpu_lesson_files,$$(l))))
	$(if $(V),,@)$(if $(SUBMISSIONS),,echo 'grade: whose work? SUBMISSIONS=folder-or-archive' >&2; exit 2;) \
	  $(B)/bin/batch $(call option,lessons,$(LESSONS)) $(call option,out,$(OUT)) $(call option,rubric,$(RUBRIC)) $(call option,times,$(TIMES)) \
	  $(call option,roster,$(ROSTER)) $(call option,seed,$(SEED)) $(call option,engine,$(ENGINE)) $(call option,feedback,$(FEEDBACK)) \
	  $(call option,backend,$(BACKEND)) $(call option,jobs,$(JOBS)) $(call option,time-limit,$(TIME_LIMIT)) \
	  $(if $(NO_SANDBOX),--no-sandbox) -- '$(subst ','\'',$(SUBMISSIONS))' $(owners_again)
# After sudo make: the results are the folder's owner's, like all that is made here.
owners_again = $(if $(owner),; s=$$?; [ ! -d $(graded_class) ] || chown -hR --reference=. $(graded_class); exit $$s)
## git-times: list when students' exercises were last committed, as TIMES for grade (SUBMISSIONS=folder of repositories)
.PHONY: git-times
git-times:
	$(if $(V),,@)tools/git-times '$(subst ','\'',$(SUBMISSIONS))'
## appeal: judge a disputed file again and compare the verdicts (OUT=grades STUDENT=anna LESSON=03 KEY=)
.PHONY: appeal
appeal: all $(B)/bin/batch
	$(if $(V),,@)$(if $(and $(STUDENT),$(LESSON)),,echo 'appeal: whose verdict? STUDENT=anna LESSON=03' >&2; exit 2;) \
	  $(B)/bin/batch $(if $(NO_SANDBOX),--no-sandbox) --replay='$(subst ','\'',$(STUDENT)/$(LESSON)$(if $(KEY),/$(KEY)))' -- $(graded_class)
## exports: write a graded class's files again: gradebook, Canvas, Moodle, pages … (OUT=grades)
## leaderboard: rank a class by how near it comes to the reference's pace, as a page (OUT=grades; NAMES=no leaves names out of the file)
.PHONY: exports leaderboard
exports: $(B)/bin/exports
	$(if $(V),,@)$(B)/bin/exports -- $(graded_class) && { (echo 'Written: $(or $(OUT),grades)/class.html, leaderboard.html, exports/') $(or_reader_left); }
leaderboard: $(B)/bin/exports
	$(if $(V),,@)$(B)/bin/exports --leaderboard $(if $(filter no,$(NAMES)),--no-names) -- $(graded_class) > $(B)/leaderboard.$$$$ && \
	  mv $(B)/leaderboard.$$$$ $(graded_class)/leaderboard.html && { (echo $(graded_class)/leaderboard.html) $(or_reader_left); } || \
	  { s=$$?; rm -f $(B)/leaderboard.$$$$; exit $$s; }
## autograder: pack an autograder for a platform (PLATFORM=gradescope|autolab|classroom|prairielearn LESSONS="03" RUBRIC= SEED= LATE=platform|rubric)
.PHONY: autograder
autograder: $(B)/bin/pack
	$(if $(V),,@)LESSONS='$(LESSONS)' RUBRIC='$(subst ','\'',$(RUBRIC))' SEED='$(SEED)' FEEDBACK='$(FEEDBACK)' IMAGE='$(IMAGE)' REPOSITORY='$(REPOSITORY)' LATE='$(LATE)' \
	  tools/autograder '$(PLATFORM)'
graded_class = '$(subst ','\'',$(or $(OUT),grades))'

## similar: find files of a class that are alike (SUBMISSIONS=folder-or-archive LESSONS="03 06" OUT=grades ROSTER=)
.PHONY: similar
similar: all $(B)/bin/batch
	$(if $(V),,@)$(if $(SUBMISSIONS),,echo 'similar: whose work? SUBMISSIONS=folder-or-archive' >&2; exit 2;) \
	  $(B)/bin/batch --similar $(call option,lessons,$(LESSONS)) $(call option,out,$(OUT)) $(call option,roster,$(ROSTER)) \
	  -- '$(subst ','\'',$(SUBMISSIONS))'
option = $(if $(2),--$(1)='$(subst ','\'',$(2))')
