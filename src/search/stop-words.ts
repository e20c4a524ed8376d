/** Words that say nothing about what a tool does, in queries and in tools. */
const STOP = `a an the this that these those and or but nor so if then than as at by for from in into of off on onto out
over to up with without within about above below between through during before after again against under until while
i me my mine myself we us our ours you your yours he him his she her hers it its they them their theirs who whom whose
which what when where why how is am are was were be been being do does did doing done has have had having can could
will would shall should may might must not no yes here there also just only very too more most much many some any each
every all both few other others such own same etc e g ie eg via per using use used uses let lets s t d ll re ve m don
one whether please`;

/** Words of a request, which say less about the need than other words. */
const REQUEST = `find help helps helping need needs needed want wants wanted like likes liked love know knowing tell
give gives giving show provide provides provided providing get gets getting got obtain assist assistance able wish
looking look interested curious wondering wonder hope trying try make sure possible currently really keen planning plan
information info detail details additionally furthermore moreover kindly thanks thank hey hello hi ok okay good great
best new specific certain particular various different several including include includes related based available
something anything thing things way ways lot today now recently recent latest current would i'm im ive id see going go
come take want first second also next existing exact exactly ensure understand explore discover recommend suggest
suggestions fetch retrieve return returns returning tool tools plugin api endpoint app offer offers access function`;

const setOf = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

export const STOP_WORDS: ReadonlySet<string> = setOf(STOP);
export const REQUEST_WORDS: ReadonlySet<string> = setOf(REQUEST);
